// TLS to the database, as the guide for operators describes it: what encrypts, what is verified, and what is said where that fails.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { explainCommandError } from '../../src/commands/error-message.ts';
import { Database } from '../../src/database/database.ts';
import { logMissing, missing, runAs, type Server, startPrimary } from '../scale-out/cluster.ts';

const why = missing ?? (spawnSync('openssl', ['version']).error ? 'no openssl on this machine' : undefined);

describe.skipIf(logMissing('TLS', why))('a database that wants TLS', () => {
  let server: Server;
  let authority: string;

  beforeAll(async () => {
    server = await startPrimary();
    const data = join(server.folder, 'data');
    authority = join(server.folder, 'authority.pem');
    const key = join(data, 'server.key');
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', ['req', '-new', '-x509', '-nodes', '-keyout', key, '-out', authority, ...subject], {
      stdio: 'ignore',
    });
    fs.copyFileSync(authority, join(data, 'server.crt'));
    if (runAs.uid) fs.chownSync(key, runAs.uid, runAs.gid!);
    fs.chmodSync(key, 0o600);
    await server.sql('alter system set ssl = on');
    fs.writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 trust\n');
    await server.sql('select pg_reload_conf()');
  });

  /** What a command would say of a first statement; undefined where it is answered. */
  const tryAddress = async (query: string): Promise<string | undefined> => {
    const database = new Database(`postgres://muster@localhost:${server.port}/muster${query}`, { poolSize: 1 });
    try {
      await database.hasUser(1);
      return undefined;
    } catch (error) {
      return explainCommandError(error);
    } finally {
      await database.close();
    }
  };

  it.each([
    [
      '',
      /^The database cannot be reached \(no pg_hba.conf entry .+ no encryption\)\. It wants TLS: add \?sslmode=verify-full/,
    ],
    [
      '?sslmode=verify-full',
      /^The database cannot be reached \(self-signed certificate.*\)\. .+ with sslrootcert in DATABASE_URL$/,
    ],
    ['?sslmode=verify-full&sslrootcert=AUTHORITY', /^The database lacks a table/],
    ['?sslmode=no-verify', /^The database lacks a table/],
  ])('at an address with "%s"', async (query, said) => {
    await expect.poll(() => tryAddress(query.replace('AUTHORITY', authority))).toMatch(said);
  });
});
