// The ticks of the list of people, and the target of a change.
import { useMemo, useState } from 'preact/hooks';
import type { Api } from './api.ts';
import type { Target } from './contact-change.ts';
import type { WrittenQuery } from './graph-query.ts';
import { listPeopleIds, mostPicked } from './use-people.ts';

/** The contacts that are ticked, by their ids, or everybody in the segment. */
type Picked = ReadonlySet<string> | 'everybody';

export interface Ticks {
  picked: Picked;
  pick(picked: Picked): void;
  /** Undefined when they are too many to be told by their ids. */
  pickEverybody: (() => Promise<void>) | undefined;
}

const nobody: ReadonlySet<string> = new Set();

interface Listed {
  query: WrittenQuery['query'];
  text: string;
  /** How many people the list has. */
  total: number;
}

export const useTicks = (api: Api, { query, text, total }: Listed): Ticks & { target: Target | undefined } => {
  const of = JSON.stringify(query);
  const [ticks, setTicks] = useState<{ of: string | undefined; picked: Picked }>({ of, picked: nobody });
  // Somebody who was ticked in another segment need not be in this one.
  const picked: Picked = ticks.of === of ? ticks.picked : nobody;
  const target = useMemo((): Target | undefined => {
    if (picked === 'everybody' || (picked.size === 0 && !text)) return query && { query };
    return picked.size > 0 && picked.size <= mostPicked ? { ids: [...picked] } : undefined;
  }, [picked, text, query]);
  const pick = (some: Picked): void => setTicks({ of, picked: some });
  // A query can say neither whom a text finds nor everybody in the space: those are told by their ids.
  const isQuery = !text && query !== undefined;
  const pickEverybody = async (): Promise<void> =>
    pick(isQuery ? 'everybody' : new Set(await listPeopleIds(api, query, text)));
  return { picked, pick, pickEverybody: isQuery || total <= mostPicked ? pickEverybody : undefined, target };
};
