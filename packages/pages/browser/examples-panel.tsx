// Questions to start from on the empty page, made from the data of the space: those that find somebody, with how many.
import { useEffect, useState } from 'preact/hooks';
import type { Json } from './graph-query.ts';
import type { Attributes } from './model.ts';
import { useTexts } from './texts.ts';
import type { Results } from './use-results.ts';
import { useWorkspace } from './workspace.ts';

interface Example {
  name: 'lapsedDonors' | 'readers' | 'formerMembers';
  query: Json;
}

/** The questions that the caller may ask: `city` is the largest. */
const writeExamples = (attributes: Attributes, city: string | undefined): Example[] => {
  const gave = (when: Json): Json => ({ donations: { transactionDate: { within: when } } });
  const ends = (operator: 'gte' | 'lte', date: string): Json => ({ memberships: { endDate: { [operator]: date } } });
  const examples: Example[] = [];
  if (attributes.has('donations.transaction_date'))
    examples.push({
      name: 'lapsedDonors',
      query: {
        and: [gave({ previous: 'YEAR' }), { donations: { none: { transactionDate: { within: { this: 'YEAR' } } } } }],
      },
    });
  if (attributes.has('emails.opened_at') && city !== undefined)
    examples.push({
      name: 'readers',
      query: {
        and: [{ address: { city: { equals: city } } }, { emails: { openedAt: { within: { last: { days: 90 } } } } }],
      },
    });
  if (attributes.has('memberships.end_date'))
    examples.push({ name: 'formerMembers', query: { and: [ends('lte', 'now-1d'), { not: ends('gte', 'now') }] } });
  return examples;
};

interface ExamplesPanelProps {
  results: Results;
  /** Whether there is no condition yet. */
  isEmpty: boolean;
  start(query: Json): void;
}

export const ExamplesPanel = ({ results, isEmpty, start }: ExamplesPanelProps) => {
  const t = useTexts();
  const { api, attributes } = useWorkspace();
  const [found, setFound] = useState<(Example & { total: number })[]>();
  const { facets, areDetailsOld } = results;
  const city = facets.CITY?.values[0]?.value;
  // The charts are those of everybody then, and name the largest city. One request is enough for as long as the page is open.
  const isDue = isEmpty && !areDetailsOld && found === undefined;

  useEffect(() => {
    if (!isDue) return;
    const controller = new AbortController();
    const examples = writeExamples(attributes, city);
    if (examples.length === 0) return setFound([]);
    const document = `query (${examples.map(({ name }) => `$${name}: ContactQuery`).join(', ')}) {
  ${examples.map(({ name }) => `${name}: searchContacts(query: $${name}, first: 0) { totalCount }`).join('\n  ')}
}`;
    const variables = Object.fromEntries(examples.map(({ name, query }) => [name, query]));
    api.query<Record<Example['name'], { totalCount: number }>>(document, variables, controller.signal).then(
      (counts) => setFound(examples.map((one) => ({ ...one, total: counts[one.name].totalCount }))),
      // The page works without them.
      () => undefined,
    );
    return () => controller.abort();
  }, [api, attributes, isDue]);

  const shown = found?.filter(({ total }) => total > 0) ?? [];
  if (!isEmpty || shown.length === 0) return null;
  return (
    <section class="card examples" aria-labelledby="examples">
      <h2 id="examples">{t.examples}</h2>
      <ul>
        {shown.map(({ name, query, total }) => (
          <li key={name}>
            <button type="button" onClick={() => start(query)}>
              {t.exampleQuestions[name](city ?? '')} <strong>{t.counted(total)}</strong>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
};
