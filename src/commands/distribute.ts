// muster distribute: spreads the database over the nodes of a Citus cluster.
import { Command, InvalidArgumentError } from 'commander';
import { readConfig } from '../config/config.ts';
import { distributeDatabase, joinWorkers, type NodeAddress, planDistribution } from '../database/citus/distribute.ts';
import { findDatabaseUrl } from './database-url.ts';
import { showProgress } from './progress-bar.ts';

const address = /^(?<host>[\w.-]+):(?<port>\d{1,5})$/;
const maxPort = 65_535;

/** The address of a node, such as `db1:5432`. */
export const parseNode = (text: string): NodeAddress => {
  const { host, port } = address.exec(text.trim())?.groups ?? {};
  if (host && Number(port) >= 1 && Number(port) <= maxPort) return { host, port: Number(port) };
  throw new InvalidArgumentError(
    `${JSON.stringify(text)} must be HOST:PORT, such as db1:5432, with a port from 1 to ${maxPort}`,
  );
};

const parseWorkers = (text: string): NodeAddress[] => {
  const workers = text.split(',').map(parseNode);
  const names = workers.map(formatNode);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice) throw new InvalidArgumentError(`${twice} must be named once`);
  return workers;
};

export const formatNode = ({ host, port }: NodeAddress): string => `${host}:${port}`;

/** The address of the configured database. Throws for the embedded one. */
const findClusterUrl = (): Promise<string> => {
  const config = readConfig();
  if (config.DATABASE_DIRECT_URL ?? config.DATABASE_URL) return findDatabaseUrl(config);
  throw new Error(
    'The embedded database cannot be distributed: set DATABASE_URL to the coordinator of a Citus cluster, and move the data there with "muster backup" and "muster restore"',
  );
};

const nothingLeft = 'nothing to do: every table has its place';

const printPlan = async (url: string, workers: readonly NodeAddress[]): Promise<void> => {
  const steps = await planDistribution(url);
  for (const node of workers)
    console.log(
      `-- ${formatNode(node)} gets the database and the extension citus, and is added, if it is not there yet`,
    );
  for (const { name, sql } of steps) console.log(`-- ${name}\n${sql};`);
  console.log(`-- ${steps.length === 0 ? nothingLeft : 'functions and triggers, as migrate applies them'}`);
};

const distribute = async (url: string, workers: readonly NodeAddress[]): Promise<void> => {
  const started = performance.now();
  if (workers.length > 0) await joinWorkers(url, workers, (step) => console.error(step));
  const isChanged = await showProgress('{bar} {percentage}% | {step} | {duration_formatted}', (bar) =>
    distributeDatabase(url, (step, done, total) => {
      if (!bar.isActive) bar.start(total, 0, { step });
      bar.update(done, { step });
    }),
  );
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(isChanged ? `distributed in ${seconds} s` : nothingLeft);
};

export const createCommand = (): Command =>
  new Command('distribute')
    .description(
      'Spread the database over the nodes of a Citus cluster, by space. The server of DATABASE_URL coordinates.',
    )
    .option('--workers <host:port,…>', 'servers to add to the cluster first', parseWorkers)
    .option('--dry-run', 'change nothing: print the statements')
    .addHelpText(
      'after',
      '\nWithout --workers it uses the workers that the cluster has. It is one transaction, for which writers wait: when it fails or is stopped,\nno table has moved. It can be run again, also to add workers later; "muster space move" fills these.',
    )
    .action(async ({ workers = [], dryRun }: { workers?: NodeAddress[]; dryRun?: true }) => {
      const url = await findClusterUrl();
      await (dryRun ? printPlan : distribute)(url, workers);
    });
