// `muster user` as an operator meets it; help and wrong usage stand with those of all commands.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Door, openApp } from '../harness/app.ts';
import { runHere } from '../harness/run-here.ts';

vi.setConfig({ testTimeout: 120_000 });

let door: Door;

beforeAll(async () => {
  door = await openApp();
});

const muster = (line: string) => runHere(door.databaseUrl, line.split(' '));

describe('user confirm', () => {
  const confirmed = async (): Promise<boolean> =>
    (await door.sql('select mail_confirmed from users where id = 2'))[0].mail_confirmed;

  it('confirms the mail that a user has, and says which it is', async () => {
    const [{ mail }] = await door.sql('update users set mail_confirmed = false where id = 2 returning mail');
    const said = { code: 0, out: `${mail} is the mail of user 2: confirmed\n`, err: '' };
    expect(await muster('user confirm 2')).toEqual(said);
    expect(await confirmed()).toBe(true);
    // Whoever asks twice, and in capitals, is told the same.
    expect(await muster(`user confirm 2 --mail ${mail.toUpperCase()}`)).toEqual(said);
  });

  it('fails when there is no such user, and when they have changed the mail that was checked', async () => {
    await door.sql('update users set mail_confirmed = false where id = 2');
    expect(await muster('user confirm 999999')).toEqual({ code: 1, out: '', err: 'muster: There is no user 999999\n' });
    expect(await muster('user confirm 2 --mail before@example.org')).toEqual({
      code: 1,
      out: '',
      err: 'muster: There is no user 2 with the mail before@example.org\n',
    });
    expect(await confirmed()).toBe(false);
  });
});

describe('user link and unlink', () => {
  const at = '--issuer https://login.example.org';

  it('store and forget who a user is at the provider, and refuse to replace or share a person', async () => {
    const [{ mail }] = await door.sql('select mail from users where id = 2');
    const linked = { code: 0, out: `user 2 (${mail}) is a at https://login.example.org\n` };
    const told = await muster(`user link 2 --subject a ${at}`);
    expect(told).toMatchObject(linked);
    expect(told.err).toContain('OIDC_ISSUER is not set here');
    expect((await muster(`user link 2 --subject b ${at}`)).err).toContain(
      'muster user unlink 2 forgets the one before',
    );
    expect((await muster(`user link 3 --subject a ${at}`)).err).toContain('Another user is already a');
    expect((await muster('user link 3 --subject c')).err).toContain('Set OIDC_ISSUER');
    expect((await muster('user unlink 2')).out).toBe(`user 2 (${mail}) is nobody at an identity provider any more\n`);
    expect((await muster('user unlink 2')).code).toBe(1);
  });

  it('refuse a provider that is not the one of the server', async () => {
    const env = { OIDC_ISSUER: 'https://login.example.org/', OIDC_AUDIENCE: 'muster' };
    const { code, err } = await runHere(door.databaseUrl, `user link 2 --subject a ${at}`.split(' '), env);
    expect([code, err]).toEqual([1, expect.stringContaining('is not OIDC_ISSUER (https://login.example.org/)')]);
    expect(await door.sql('select oidc_subject from users where id = 2')).toEqual([{ oidc_subject: null }]);
  });
});
