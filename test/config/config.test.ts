// Settings of the environment: what is refused is told in sentences, and misspelt names are found.
import { expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { findMisspeltSettings, reportSettings } from '../../src/config/setting-report.ts';

it('settings that cannot be used are told in sentences, and names that look like a setting are found', () => {
  const refusal = (env: Record<string, string>): string => {
    try {
      return String(readConfig(env));
    } catch (error) {
      return (error as Error).message;
    }
  };
  const faulty = {
    PORT: 'abc',
    POOL_SIZE: '1.5',
    BUCKET_REFILL: '0',
    WORKERS: '0',
    GRAPHIQL: 'yes',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'mysql://root:secret@db/muster',
    TRUSTED_PROXIES: '10.0.0.0/8,proxy',
    DRAIN_DELAY: ' ',
  };
  expect(refusal(faulty).split('\n').sort()).toEqual([
    '  BUCKET_REFILL must be a number above 0, but is 0',
    '  DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database',
    '  DRAIN_DELAY must be a number between 0 and 300, but is  ',
    '  GRAPHIQL must be true or false, but is yes',
    '  LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, but is loud',
    '  POOL_SIZE must be a whole number between 1 and 500, but is 1.5',
    '  PORT must be a whole number between 0 and 65535, but is abc',
    '  TRUSTED_PROXIES cannot be used: proxy is neither an address nor a network such as 10.0.0.0/8',
    '  WORKERS must be auto, or a whole number between 1 and 128, but is 0',
    'These settings cannot be used:',
  ]);
  expect(refusal({ METRICS_PORT: '4000' })).toContain(
    '  METRICS_PORT must differ from PORT, or METRICS_HOST from HOST',
  );
  expect(readConfig({ METRICS_PORT: '4000', METRICS_HOST: '127.0.0.2' }).METRICS_PORT).toBe(4000);
  expect(refusal({ DATABASE_POOLER: 'transaction' })).toContain('  DATABASE_POOLER needs DATABASE_URL');
  expect(refusal({ DATABASE_DIRECT_URL: 'postgres://localhost/muster' })).toContain(
    '  DATABASE_DIRECT_URL needs DATABASE_URL: ',
  );
  expect(refusal({ OIDC_ISSUER: 'https://login.example.org' })).toContain('  OIDC_ISSUER needs OIDC_AUDIENCE');
  for (const issuer of [
    'http://login.example.org',
    'login.example.org',
    'https://a:b@c.org',
    'https://a.org/?b',
    'http://localhost.example.org',
  ])
    expect(refusal({ OIDC_ISSUER: issuer, OIDC_AUDIENCE: 'x' }), issuer).toContain(
      `  OIDC_ISSUER must be a URL that begins with https://`,
    );
  for (const issuer of ['https://login.example.org/realms/a/', 'http://localhost:8080/realms/a', 'http://[::1]:8080'])
    expect(readConfig({ OIDC_ISSUER: issuer, OIDC_AUDIENCE: 'x' }).OIDC_ISSUER).toBe(issuer);
  expect(
    refusal({ OIDC_AUDIENCE: 'x', OIDC_SPACE_CLAIM: 'y', OIDC_USER_CLAIM: 'sub' }).match(
      / has no effect without OIDC_ISSUER/g,
    ),
  ).toHaveLength(3);
  expect(readConfig({ WORKERS: 'auto', GRAPHIQL: '0', PORT: '0', DRAIN_DELAY: '1.5' })).toMatchObject({
    WORKERS: 'auto',
    GRAPHIQL: false,
    PORT: 0,
    DRAIN_DELAY: 1.5,
    POOL_SIZE: 10,
    CORS_ORIGINS: [],
  });
  expect(findMisspeltSettings({ DATABSE_URL: 'x', loglevel: 'x', MUSTER_DATA_DRI: 'x', POST: '1', PATH: '/' })).toEqual(
    [
      ['DATABSE_URL', 'DATABASE_URL'],
      ['loglevel', 'LOG_LEVEL'],
      ['MUSTER_DATA_DRI', 'MUSTER_DATA_DIR'],
    ],
  );
  // Another program may have a name of its own beside ours.
  expect(findMisspeltSettings({ DATABASE_URL: 'x', DATABASE_URI: 'x', POOL_SIZE: '3' })).toEqual([]);
});

it('no address is shown with its password, whether it is refused or not', () => {
  const env = {
    OIDC_ISSUER: 'https://ana:s#cret@login.example.org',
    CORS_ORIGINS: 'https://ana:s#cret@app.example.org',
  };
  expect(() => readConfig(env)).toThrow('//***@login.example.org');
  expect(() => readConfig(env)).not.toThrow('cret');
  const shown = JSON.stringify(reportSettings(env));
  expect(shown).toContain('//***@app.example.org');
  expect(shown).not.toContain('cret');
});
