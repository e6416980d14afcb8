// Takes over databases that were migrated by the former 23 files, which the present files have replaced.
// Delete this file and its call in migrate.ts when no such database is left. No release had those files.
import type pg from 'pg';

/** The names and checksums of the former files. */
export const migrationsBefore: Record<string, string> = {
  '0001_spaces_and_people.sql': '2a0d8d0ade49d4a56c43b67ec1d4c293f2c739170cfe492208fd9bcfa943ec42',
  '0002_teams_and_invitations.sql': '061b6d474df4cd965c490266764dedde42df16a95d09535c9c01bc71cdc8ee68',
  '0003_contacts.sql': 'bab551f09f84cc11415e493f684d3ec8e97f86c124a561da3660c4bcdd74d3ef',
  '0004_money_mailings_sanctions.sql': 'dcfe2fd2a25e179c7bc9810ac0acb883c142d9301d6628b2289772bedfbfca69',
  '0005_search.sql': '5b42efc5af33cddd2c78970903e3fb39499bb992e4834d11782d8330ff2e48aa',
  '0006_writing_contacts.sql': '07cc3c4d8c9a654b639fc60543033e6aa49f66b01a372f9728a2453bce33259e',
  '0007_idempotency.sql': '89af144940e9b3e528f2f6ea999a8651844d0b263ccb32b38ffe03755485b176',
  '0008_imports.sql': '21fb2ca91936952fa5729cdefb540cf6e8591afa035489905a48c9b0beea01e1',
  '0009_import_records.sql': '3eb47676386ebcd3d569d0e5362dba073e685c5d1ea1068747a012490d165158',
  '0010_read_your_writes.sql': '1c34b409c3debee53e1b62a886f544dd54ce738522dd06857edf94a7631fc478',
  '0011_new_contacts.sql': 'ab2a43160921cb4542a1b85181be3b3f8242ade21cc5921f08c32d467ce72429',
  '0012_emails_of_the_living.sql': 'bdb3b7d467666a6ce3cea26149c4c51ea2159af267ee7dd1e3da9a8a58ad2b5a',
  '0013_changes_of_contacts.sql': 'a3cda22d9939ad97c030e1fdad1809c68cf5e020ea89d4246ad3841ca617779b',
  '0014_who_wrote.sql': '19413a4cbf8ee7686b00cb0609bd9303f789c59e88ffc014583b534fa487278b',
  '0015_gate_for_several.sql': '67531272803c27c24aecaeeb725dcc3b592537987c1bf889b5e9e7c4fe98ae86',
  '0016_gate_for_all_who_wait.sql': '53717b2f9a3a215b3c9ae3077a21873d921e01f78fd19eecc83709dc0b0979df',
  '0017_accounts.sql': '2885c9d4764ded3cb3eb4ef8ec3e63702de2eb02917456a009840b37a6f3d06c',
  '0018_clock_set_back.sql': '4c33942feea3f374f6f4f57ce8e6efe239a505f7b3f05a61ae5c596c7d3d6115',
  '0019_traversals.sql': 'c8c0df3df975699f0ab537941e80c55a6e6c44e95c09030e3a1b2eadaf1d1f3d',
  '0020_sweep.sql': 'ca7993406786847bb7f0611d6950b6c884795cc10c6ba582983b5a29463372c6',
  '0021_unchanged_rows.sql': '3f41214e6010ef78fde46638425f374663484234383e900a615826864051ea41',
  '0022_empty_texts.sql': '6821143b6338d88ecfc27df5cb130144c463f211c13f0c222ea81a79f4449605',
  '0023_versions_of_teams.sql': 'f027bde25968209b0065761613df303a02f78d756463c996d75a00d931158bd0',
};

/** The last commit with the former files. */
const lastCommit = '74b082b';

/** The files that create the same schema. Later files are applied as in any other database. */
const sameSchema = /^000[1-6]_schema_/;

/**
 * A database with all former files has the schema of the first six numbered files: these replace them in schema_migrations.
 * All functions are replaced: those that tables depend on here, the others by functions.sql afterwards, as in any database without that file.
 * A database with only some of the former files is refused. Returns the checksums of the applied files by name.
 */
export const bridgeOldMigrations = async (
  client: pg.Client,
  numbered: { name: string; sql: string; checksum: string }[],
  done: Map<string, string>,
): Promise<Map<string, string>> => {
  const names = Object.keys(migrationsBefore);
  const present = names.filter((name) => done.has(name));
  if (present.length === 0) return done;
  const changed = present.find((name) => done.get(name) !== migrationsBefore[name]);
  if (changed) throw new Error(`Migration ${changed} was changed after it was applied to this database`);
  if (present.length < names.length)
    throw new Error(
      `This database has ${present.length} of the ${names.length} former migrations. Nothing was changed. ` +
        `Run \`muster migrate\` of commit ${lastCommit} first, then this version; or export its contacts and import them into a new database`,
    );
  const unknown = [...done.keys()].find((name) => !(name in migrationsBefore));
  if (unknown) throw new Error(`This database was migrated by another version of Muster (${unknown})`);
  const same = numbered.filter(({ name }) => sameSchema.test(name));
  await client.query('begin');
  await client.query(same[0]!.sql);
  await client.query('delete from schema_migrations');
  await client.query(
    'insert into schema_migrations (name, checksum) select * from unnest(cast($1 as text[]), cast($2 as text[]))',
    [same.map(({ name }) => name), same.map(({ checksum }) => checksum)],
  );
  await client.query('commit');
  return new Map(same.map(({ name, checksum }) => [name, checksum]));
};
