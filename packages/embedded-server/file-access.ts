// Checks the owner and mode of the embedded PostgreSQL's files, and names the command that corrects them: copied folders often have another owner.
import fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Undefined where PostgreSQL runs as the user of this process. */
export type OsUser = { uid: number; gid: number } | undefined;

export const quoteForShell = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

const adviseChown = ({ uid, gid }: NonNullable<OsUser>, folder: string): string =>
  `Run as root: chown -R ${uid}:${gid} ${quoteForShell(folder)}`;
const adviseChmod = (folder: string): string => `Run: chmod -R u=rwX,go= ${quoteForShell(folder)}`;
const formatMode = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0');

/** The OS user of this process; undefined on systems without uids. */
const findOwnUser = (): OsUser =>
  process.getuid && process.getgid ? { uid: process.getuid(), gid: process.getgid() } : undefined;

/** Explains why PostgreSQL would refuse the cluster folder when `user` runs it; by default we do. */
export function findClusterFault(cluster: string, user = findOwnUser()): string | undefined {
  const { uid, mode } = fs.statSync(cluster);
  if (!user) return undefined;
  if (uid !== user.uid)
    return `${cluster} belongs to OS user ${uid}, but PostgreSQL runs as OS user ${user.uid}. ${adviseChown(user, cluster)}`;
  if ((mode & 0o027) !== 0 || (mode & 0o700) !== 0o700)
    return `${cluster} has mode ${formatMode(mode)}, but PostgreSQL requires 0700 or 0750. ${adviseChmod(cluster)}`;
  return undefined;
}

/** Checks all files of the cluster in the same way. */
export function findFileFault(cluster: string, user = findOwnUser()): string | undefined {
  if (!user) return undefined;
  for (const name of fs.readdirSync(cluster, { recursive: true }) as string[]) {
    const path = join(cluster, name);
    const { uid, mode } = fs.lstatSync(path, { throwIfNoEntry: false }) ?? { uid: user.uid, mode: 0o700 };
    if (uid !== user.uid)
      return `${path} belongs to OS user ${uid}, but PostgreSQL runs as OS user ${user.uid}. ${adviseChown(user, cluster)}`;
    if ((mode & 0o600) !== 0o600)
      return `${path} has mode ${formatMode(mode)}, but PostgreSQL must read and write it. ${adviseChmod(cluster)}`;
  }
  return undefined;
}

/** Explains why this process has no access to a path in its data folder, if the cause can be found. */
export function explainDenial({ code, path }: NodeJS.ErrnoException, dataDir: string): string | undefined {
  const user = findOwnUser();
  if (code !== 'EACCES' || !path || !user || !fs.existsSync(dataDir)) return undefined;
  // Checks the path, and its folder where the path itself cannot be read. Suggests no change outside the data folder.
  for (const place of [path, dirname(path)]) {
    if (!resolve(place).startsWith(fs.realpathSync(dataDir))) return undefined;
    try {
      const { uid, mode } = fs.statSync(place);
      if (uid !== user.uid)
        return `${place} belongs to OS user ${uid}, and Muster runs as ${user.uid}. ${adviseChown(user, dataDir)}`;
      return `${place} has mode ${formatMode(mode)}. ${adviseChmod(dataDir)}`;
    } catch {
      // The next place may explain it.
    }
  }
  return undefined;
}
