// muster config: prints every setting, where it comes from, and what is wrong with it, without secrets.
import { Command } from 'commander';
import { checkConfig } from '../config/config.ts';
import { findMisspeltSettings, reportSettings } from '../config/setting-report.ts';
import { escapeForTerminal } from './table.ts';

const printConfig = ({ json }: { json?: boolean }): void => {
  const settings = reportSettings(process.env);
  const checked = checkConfig(process.env);
  const faults = 'faults' in checked ? checked.faults.map(([name, fault]) => ({ name, fault })) : [];
  const misspelt = findMisspeltSettings().map(([name, meant]) => ({ name, meant }));
  if (faults.length > 0) process.exitCode = 1;
  if (json) return void console.log(JSON.stringify({ settings, faults, misspelt }, null, 2));
  const width = Math.max(...settings.map(({ name }) => name.length));
  for (const { name, value, source } of settings)
    console.log(
      escapeForTerminal(`${name.padEnd(width)}  ${value ?? '-'}${source === 'environment' ? '' : `  (${source})`}`),
    );
  for (const { name, fault } of faults) console.error(escapeForTerminal(`muster: ${name} ${fault}`));
  for (const { name, meant } of misspelt)
    console.error(escapeForTerminal(`muster: ${name} is not a setting and is ignored. Is ${meant} meant?`));
};

export const createCommand = (): Command =>
  new Command('config')
    .description(
      'Print every setting with its value, and whether it comes from the environment. Passwords and other secrets are not shown. The exit code is 1 when a setting cannot be used.',
    )
    .option('--print', 'print the settings; the same without it')
    .option('--json', 'print JSON')
    .action(printConfig);
