// The checksums of the numbered migrations, as `sha256sum` writes them. A landed migration never changes: databases that have it would refuse to start.
import { listMigrations, type Migration } from '../src/database/migrate.ts';

/** The committed file. Within `migrations/`, `sha256sum --check SHA256SUMS` reads it. */
export const checksumsPath = 'migrations/SHA256SUMS';

/**
 * Writes a line for each numbered migration. Throws for a migration whose text is not that of its line in `written`, and for a line whose
 * migration is gone.
 */
export const writeMigrationChecksums = (
  written: string,
  migrations: readonly Migration[] = listMigrations(),
): string => {
  const numbered = new Map(
    migrations.filter(({ repeatable }) => !repeatable).map(({ name, checksum }) => [name, checksum]),
  );
  for (const line of written.split('\n').filter(Boolean)) {
    const [checksum, name] = line.split('  ') as [string, string];
    if (numbered.get(name) === checksum) continue;
    throw new Error(
      `${checksumsPath}: migration ${name} was ${numbered.has(name) ? 'changed' : 'removed'}. Databases may have it: restore it and write a new one. If it never left this machine, delete its line.`,
    );
  }
  return [...numbered].map(([name, checksum]) => `${checksum}  ${name}\n`).join('');
};
