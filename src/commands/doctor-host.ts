// Checks of this host: Node, the settings, the disk of the embedded server, the clock.
import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { checkConfig } from '../config/config.ts';
import { findMisspeltSettings } from '../config/setting-report.ts';
import { locatePackageFile } from '../database/package-file.ts';
import { type Check, type Finding, fail, formatBytes, ok, warn } from './doctor-check.ts';

const newestTested = 24;

export const checkNode = (): Finding => {
  const { engines } = JSON.parse(readFileSync(locatePackageFile('package.json'), 'utf8'));
  const { version } = process;
  const major = Number(version.slice(1).split('.')[0]);
  return major > newestTested
    ? warn(
        `Node ${version} is newer than those that Muster is tested with (${engines.node} to ${newestTested})`,
        `Use Node ${newestTested} if something fails`,
      )
    : ok(`Node ${version} (${engines.node} is needed)`);
};

export const checkSettings = (env: NodeJS.ProcessEnv): Finding => {
  const checked = checkConfig(env);
  if ('faults' in checked) {
    const faults = checked.faults.map(([name, fault]) => `${name} ${fault}`).join('; ');
    return fail(faults, 'Correct these settings; docs/settings.md lists all of them');
  }
  const misspelt = findMisspeltSettings(env).map(([name, meant]) => `${name} is ignored; is ${meant} meant?`);
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

/** In seconds. Tokens of an identity provider, retention and expiry depend on the clocks. */
const clockBounds = { warn: 2, fail: 30 };

export const clockCheck: Check = {
  name: 'clock',
  async run({ connection }) {
    const before = Date.now();
    const { now } = await connection.row<{ now: string }>(`select extract(epoch from clock_timestamp()) as now`);
    const after = Date.now();
    const difference = Math.abs(Number(now) - (before + after) / 2000);
    // It cannot be measured better than the time of an answer.
    const sure = Math.max(0, difference - (after - before) / 2000);
    const found = `The clocks of this host and of the database differ by ${sure.toFixed(1)} s`;
    const todo = 'Let NTP set the clocks of both: timedatectl set-ntp true';
    return sure > clockBounds.fail ? fail(found, todo) : sure > clockBounds.warn ? warn(found, todo) : ok(found);
  },
};
