// muster doctor: checks this host and an installation, and says what to mend. It changes nothing.

import { statfs } from 'node:fs/promises';
import { Command } from 'commander';
import { type Config, checkConfig } from '../config/config.ts';
import { findMisspeltSettings } from '../config/setting-report.ts';
import { isReadOnly } from '../database/driver-error.ts';
import { DiagnosticConnection } from '../database/open-client.ts';
import { readPackage } from '../database/package-file.ts';
import { WrongSettings } from '../database/session-settings.ts';
import { parseWholeNumber } from './arguments.ts';
import { useDatabaseServer } from './database-url.ts';
import {
  type Check,
  type DatabaseGround,
  type Finding,
  fail,
  formatBytes,
  ok,
  type Status,
  warn,
} from './doctor-check.ts';
import { contentChecks, schemaChecks } from './doctor-content.ts';
import { serverChecks } from './doctor-server.ts';
import { explainCommandError } from './error-message.ts';
import { escapeForTerminal } from './table.ts';

const newestTested = 24;

const checkNode = (): Finding => {
  const { engines } = readPackage();
  const { version } = process;
  const major = Number(version.slice(1).split('.')[0]);
  return major > newestTested
    ? warn(
        `Node ${version} is newer than those that Muster is tested with (${engines.node} to ${newestTested})`,
        `Use Node ${newestTested} if something fails`,
      )
    : ok(`Node ${version} (${engines.node} is needed)`);
};

const checkSettings = (checked: ReturnType<typeof checkConfig>): Finding => {
  if ('faults' in checked) {
    const faults = checked.faults.map(([name, fault]) => `${name} ${fault}`).join('; ');
    return fail(faults, 'Correct these settings; docs/settings.md lists all of them');
  }
  const misspelt = findMisspeltSettings().map(([name, meant]) => `${name} is ignored; is ${meant} meant?`);
  return misspelt.length > 0
    ? warn(misspelt.join(' '), 'Rename it, or remove it from the environment')
    : ok('All can be used');
};

/** In bytes: below these, a burst of writes or a large import may fill the disk. */
const diskBounds = { warn: 2 * 2 ** 30, fail: 256 * 2 ** 20 };

/** Room for the files of the embedded server. */
export const checkDisk = async (folder: string, bounds = diskBounds): Promise<Finding> => {
  const { bavail, bsize, blocks } = await statfs(folder);
  const free = bavail * bsize;
  const found = `${formatBytes(free)} of ${formatBytes(blocks * bsize)} are free on the disk of ${folder}`;
  const todo = 'Free some space: a full disk stops the database until there is room again';
  return free < bounds.fail ? fail(found, todo) : free < bounds.warn ? warn(found, todo) : ok(found);
};

interface DoctorOptions {
  deep?: boolean;
  json?: boolean;
  instances: number;
}

type Report = (name: string, finding: Finding) => void;

/** Reports the finding of a check. One that cannot be carried out is a warning of its own. */
const runCheck = async (
  [name, check]: [string, Check],
  ground: DatabaseGround,
  report: Report,
): Promise<Finding | undefined> => {
  const finding = await check(ground).catch((error) =>
    warn(
      `This could not be checked: ${explainCommandError(error)}`,
      isReadOnly(error) ? 'Let DATABASE_URL name the primary' : 'Give the role the right to read it, or try again',
    ),
  );
  if (finding) report(name, finding);
  return finding;
};

const checkDatabase = async (ground: DatabaseGround, report: Report): Promise<void> => {
  for (const check of Object.entries(serverChecks)) await runCheck(check, ground, report);
  for (const check of Object.entries(schemaChecks))
    if ((await runCheck(check, ground, report))?.status === 'fail') return;
  for (const check of Object.entries(contentChecks)) await runCheck(check, ground, report);
};

/** Opens one connection. The embedded server is started for the time of the checks when it does not run. */
const connectDatabase = (config: Config, { deep = false, instances }: DoctorOptions, report: Report): Promise<void> =>
  useDatabaseServer({ mayCreate: false }, async ({ url, folder }) => {
    if (folder) report('disk', await checkDisk(folder));
    const connection = await DiagnosticConnection.open(url);
    try {
      report('database', ok(folder ? `The embedded server of ${folder} answers` : 'The server answers'));
      await checkDatabase({ config, connection, url, deep, instances }, report);
    } finally {
      await connection.close();
    }
  });

const marks: Record<Status, string> = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' };

const runDoctor = async (options: DoctorOptions): Promise<void> => {
  const findings: ({ name: string } & Finding)[] = [];
  const report: Report = (name, finding) => {
    findings.push({ name, ...finding });
    if (options.json) return;
    const { status, found, todo } = finding;
    console.log(escapeForTerminal(`${marks[status]}  ${name.padEnd(17)}  ${found}`));
    if (todo) console.log(escapeForTerminal(`${' '.repeat(25)}→ ${todo}`));
  };
  report('node', checkNode());
  const checked = checkConfig(process.env);
  report('settings', checkSettings(checked));
  if ('config' in checked)
    await connectDatabase(checked.config, options, report).catch((error) =>
      report(
        'database',
        error instanceof WrongSettings
          ? fail(error.found, error.cure)
          : fail(explainCommandError(error), 'Start the server, or correct DATABASE_URL or MUSTER_DATA_DIR'),
      ),
    );
  const count = (status: Status): number => findings.filter((one) => one.status === status).length;
  const [failures, warnings] = [count('fail'), count('warn')];
  if (failures > 0) process.exitCode = 1;
  if (options.json) console.log(JSON.stringify({ failures, warnings, findings }, null, 2));
  else console.log(`${findings.length} checks: ${failures} failed, ${warnings} with a warning`);
};

export const createCommand = (): Command =>
  new Command('doctor')
    .description(
      'Check Node, the settings, the disk, the clock, the database server, its settings, and the tables of Muster, and say what to do. It changes nothing, prints no personal data and no secrets, and works while Muster serves. An embedded server that does not run is started for that time. The exit code is 1 when a check fails; warnings leave it 0.',
    )
    .option('--deep', 'also compare the content of every search row; this reads the whole database')
    .option('--instances <number>', 'instances of Muster on this database', parseWholeNumber(1, 1000), 1)
    .option('--json', 'print JSON')
    .action(runDoctor);
