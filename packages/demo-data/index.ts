// Creates the demo data: the same plan and seed fill an empty database with the same bytes, anywhere and at any time.
import { setImmediate } from 'node:timers/promises';
import { beginLoad, type SeedTarget } from './load.ts';
import { makeSpaceLists, makeWholeContact, type PlannedSpace } from './make.ts';
import { readPlaces } from './places.ts';
import { createSpaceSeed, type User } from './space.ts';

export interface SeedPlan {
  seed: number;
  spaces: PlannedSpace[];
}
/** Progress in contacts. Each counts once when it is created and once when its search row is. */
export interface SeedProgress {
  step: 'seeding' | 'indexing';
  done: number;
  total: number;
}

export interface Loaded {
  /** The living contacts of the first space. */
  people: number;
  /** Those of all tables and spaces. */
  rows: number;
  seconds: number;
}

const batch = 2000;
/** After this many contacts the event loop gets its turn, so that the database does not wait for the next batch. */
const contactsPerTurn = 50;

/** Creates the demo plan: a space of `contacts` contacts, whose superadmin is user 1, and a small space with other users. */
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

const checkPlan = ({ seed: chance, spaces }: SeedPlan): void => {
  const isWholeNumber = (n: number, least: number): boolean => Number.isSafeInteger(n) && n >= least;
  if (!isWholeNumber(chance, 0)) throw new Error('The seed must be a whole number, 0 or greater');
  if (new Set(spaces.map(({ id }) => id)).size < spaces.length) throw new Error('A plan names each space once');
  for (const { id, name, contacts } of spaces) {
    if (!isWholeNumber(id, 1) || !isWholeNumber(contacts, 0))
      throw new Error(`Space ${id} with ${contacts} contacts cannot be planned`);
    if (name !== undefined && !name.trim()) throw new Error(`Space ${id} needs a name that is not blank`);
  }
};

/** Loads a plan completely or not at all, into an empty database or beside existing spaces. Throws when a space of the plan exists. */
export async function loadPlan(
  target: SeedTarget,
  plan: SeedPlan,
  onProgress?: (progress: SeedProgress) => void,
): Promise<Loaded> {
  checkPlan(plan);
  const started = performance.now();
  const total = plan.spaces.reduce((sum, { contacts }) => sum + contacts, 0);
  const load = await beginLoad(
    target,
    plan.spaces.map(({ id }) => id),
  );
  try {
    const places = readPlaces();
    let guest: User | undefined;
    let people: number | undefined;
    let done = 0;
    const send = (contacts: number): Promise<void> =>
      load.send(() => {
        done += contacts;
        onProgress?.({ step: 'seeding', done, total });
      });
    for (const [place, planned] of plan.spaces.entries()) {
      const making = createSpaceSeed({
        seed: plan.seed,
        space: planned.id,
        main: place === 0,
        rows: load.rows,
        places,
      });
      const lists = makeSpaceLists(making, planned, load.takenMails, place === 1 ? guest : undefined);
      // The fourth user of the first space is also a member of the second, with another role.
      guest ??= lists.users[3];
      for (let index = 1; index <= planned.contacts; index++) {
        makeWholeContact(making, lists, index);
        if (index % contactsPerTurn === 0) await setImmediate();
        if (index % batch === 0) await send(batch);
      }
      await send(planned.contacts % batch);
      people ??= making.living;
    }
    let indexed = 0;
    await load.commit((contacts) => {
      indexed += contacts;
      onProgress?.({ step: 'indexing', done: indexed, total });
    });
    return { people: people ?? 0, rows: load.rows.total, seconds: (performance.now() - started) / 1000 };
  } finally {
    await load.close();
  }
}
