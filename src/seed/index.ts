// In charge of the demo data: the same plan and seed fill an empty database with the same bytes, anywhere and at any time.
import { setImmediate } from 'node:timers/promises';
import { Load } from './load.ts';
import { makeLists, makeWholeContact, type PlannedSpace } from './make.ts';
import { readPlaces } from './places.ts';
import { SpaceSeed, type User } from './space.ts';

export interface SeedPlan {
  seed: number;
  spaces: PlannedSpace[];
}
/** In contacts, once as they are made and once as search learns of them. */
export interface SeedProgress {
  step: 'seeding' | 'indexing';
  done: number;
  total: number;
}

const batch = 2000;
/** After this many contacts the sockets get their turn, so that the database does not wait while a batch is made. */
const breath = 50;

/** The demo: a space of `contacts` contacts, whose superadmin is user 1, and a small one with other users. */
export function createDemoPlan(contacts = 10_000, seed = 1): SeedPlan {
  const small = Math.max(1, Math.min(500, Math.ceil(contacts / 20)));
  return {
    seed,
    spaces: [
      { id: 1, contacts },
      { id: 2, contacts: small },
    ],
  };
}

const check = ({ seed: chance, spaces }: SeedPlan): void => {
  const whole = (n: number, least: number): boolean => Number.isSafeInteger(n) && n >= least;
  if (!whole(chance, 0)) throw new Error('The seed must be a whole number, 0 or greater');
  if (new Set(spaces.map(({ id }) => id)).size < spaces.length) throw new Error('A plan names each space once');
  for (const { id, name, contacts } of spaces) {
    if (!whole(id, 1) || !whole(contacts, 0))
      throw new Error(`Space ${id} with ${contacts} contacts cannot be planned`);
    if (name !== undefined && !name.trim()) throw new Error(`Space ${id} needs a name that is not blank`);
  }
};

/** Fills an empty database, or adds spaces to one; refuses when one of them exists. All of the plan is loaded, or nothing. */
export async function seedDatabase(
  databaseUrl: string,
  plan: SeedPlan,
  onProgress?: (progress: SeedProgress) => void,
): Promise<{ contacts: number; rows: number; seconds: number }> {
  check(plan);
  const started = performance.now();
  const total = plan.spaces.reduce((sum, { contacts }) => sum + contacts, 0);
  const load = await Load.begin(
    databaseUrl,
    plan.spaces.map(({ id }) => id),
  );
  try {
    const places = readPlaces();
    let guest: User | undefined;
    let done = 0;
    const send = (contacts: number): Promise<void> =>
      load.send(() => {
        done += contacts;
        onProgress?.({ step: 'seeding', done, total });
      });
    for (const [place, planned] of plan.spaces.entries()) {
      const making = new SpaceSeed(plan.seed, planned.id, place === 0, load.rows, places);
      const lists = makeLists(making, planned, load.takenMails, place === 1 ? guest : undefined);
      // The fourth user of the first space is in the second as well, with another role.
      guest ??= lists.users[3];
      let gathered = 0;
      for (let index = 1; index <= planned.contacts; index++) {
        makeWholeContact(making, lists, index);
        gathered++;
        if (index % breath === 0) await setImmediate();
        if (gathered < batch) continue;
        await send(gathered);
        gathered = 0;
      }
      await send(gathered);
    }
    let indexed = 0;
    await load.commit((contacts) => {
      indexed += contacts;
      onProgress?.({ step: 'indexing', done: indexed, total });
    });
    return { contacts: total, rows: load.rows.total, seconds: (performance.now() - started) / 1000 };
  } finally {
    await load.close();
  }
}
