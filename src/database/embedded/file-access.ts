// In charge of telling who may use the files of the embedded PostgreSQL, and the command that mends it: copies often belong to somebody else.
import fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';

interface OsUser {
  uid: number;
  gid: number;
}

/** A text that the shell takes as it is. */
const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

const chown = ({ uid, gid }: OsUser, folder: string): string => `Run as root: chown -R ${uid}:${gid} ${quoted(folder)}`;
const chmod = (folder: string): string => `Run: chmod -R u=rwX,go= ${quoted(folder)}`;
const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0');

/** We ourselves; undefined on systems without such users. */
const self = (): OsUser | undefined =>
  process.getuid && process.getgid ? { uid: process.getuid(), gid: process.getgid() } : undefined;

/** What PostgreSQL will have against the cluster folder when `user` runs it, or we do. */
export function findClusterFault(cluster: string, user = self()): string | undefined {
  const { uid, mode } = fs.statSync(cluster);
  if (!user) return undefined;
  if (uid !== user.uid)
    return `${cluster} belongs to OS user ${uid}, but PostgreSQL runs as OS user ${user.uid}. ${chown(user, cluster)}`;
  if ((mode & 0o027) !== 0 || (mode & 0o700) !== 0o700)
    return `${cluster} has mode ${octal(mode)}, but PostgreSQL takes 0700 or 0750. ${chmod(cluster)}`;
  return undefined;
}

/** The same for all that is in it. */
export function findFileFault(cluster: string, user = self()): string | undefined {
  if (!user) return undefined;
  for (const name of fs.readdirSync(cluster, { recursive: true }) as string[]) {
    const path = join(cluster, name);
    const { uid, mode } = fs.lstatSync(path, { throwIfNoEntry: false }) ?? { uid: user.uid, mode: 0o700 };
    if (uid !== user.uid)
      return `${path} belongs to OS user ${uid}, but PostgreSQL runs as OS user ${user.uid}. ${chown(user, cluster)}`;
    if ((mode & 0o600) !== 0o600)
      return `${path} has mode ${octal(mode)}, but PostgreSQL must read and write it. ${chmod(cluster)}`;
  }
  return undefined;
}

/** Why we are denied a path in our own data folder, where that can be said. */
export function explainDenial({ code, path }: NodeJS.ErrnoException, dataDir: string): string | undefined {
  const user = self();
  if (code !== 'EACCES' || !path || !user || !fs.existsSync(dataDir)) return undefined;
  // Checks the path, and its folder where the path itself cannot be read. Suggests no change outside the data folder.
  for (const place of [path, dirname(path)]) {
    if (!resolve(place).startsWith(fs.realpathSync(dataDir))) return undefined;
    try {
      const { uid, mode } = fs.statSync(place);
      if (uid !== user.uid)
        return `${place} belongs to OS user ${uid}, and we are ${user.uid}. ${chown(user, dataDir)}`;
      return `${place} has mode ${octal(mode)}. ${chmod(dataDir)}`;
    } catch {
      // The next one may tell.
    }
  }
  return undefined;
}
