// Programs with the TypeScript client that the compiler must accept, and mistakes that it must refuse. `npm run typecheck` is the test.
import {
  allOf,
  anyOf,
  type ContactQuery,
  CreateNoteDocument,
  createClient,
  ListContactsDocument,
  not,
  ProblemError,
  ReadContactDocument,
  ReadViewerDocument,
  readSearchDate,
  SearchContactsDocument,
  where,
} from '../../clients/typescript/src/index.ts';

const client = createClient({ url: 'https://muster.example.org/graphql', token: 'secret' });

export const acceptRequests = async (): Promise<void> => {
  const { contact } = await client.request(ReadContactDocument, { id: 'Contact:1' });
  const city: string | null | undefined = contact?.address?.city;
  const gender: 'F' | 'M' | 'O' | null | undefined = contact?.gender;
  const { viewer } = await client.request(ReadViewerDocument);
  const name: string = viewer.space.name;
  const { data } = await client.execute(CreateNoteDocument, { input: { contactId: 1, content: name } });
  const content: string | undefined = data?.createNote?.note.content;
  for await (const { id } of client.iterate(ListContactsDocument, { search: city }, (page) => page.contacts))
    id satisfies string;
  const anything: unknown = await client.request('{ __typename }');
  void [gender, content, anything];
};

export const refuseRequests = async (): Promise<void> => {
  // @ts-expect-error A variable is missing.
  await client.request(ReadContactDocument);
  // @ts-expect-error A variable has another name.
  await client.request(ReadContactDocument, { contactId: 1 });
  // @ts-expect-error A variable is of another type.
  await client.request(ListContactsDocument, { search: 1 });
  // @ts-expect-error The input has no such field.
  await client.request(CreateNoteDocument, { input: { contactId: 1, content: '', author: 'Ada' } });
  const { contact } = await client.request(ReadContactDocument, { id: 1 });
  // @ts-expect-error The contact may be missing.
  void contact.id;
  // @ts-expect-error The document does not select it.
  void contact?.nationality;
  // @ts-expect-error The data has no such list.
  client.iterate(ListContactsDocument, {}, (page) => page.notes);
  // @ts-expect-error It is no list.
  client.iterate(ReadContactDocument, { id: 1 }, (page) => page.contact);
  // @ts-expect-error The document does not select it.
  for await (const found of client.iterate(ListContactsDocument, {}, (page) => page.contacts)) void found.version;
};

export const acceptErrors = (error: unknown): string | undefined => {
  if (!(error instanceof ProblemError)) return;
  if (error.code === 'precondition-failed') return 'Changed meanwhile';
  // @ts-expect-error There is no such status text.
  if (error.status === '429') return;
  return error.faults.map(({ location, message }) => `${location} ${message}`).join();
};

export const acceptSearches = (day: string) => [
  where((contact) => contact.address.city.equals('Lyon').and(contact.birthDate.lte('now-18y'))),
  where(({ birthDate, lastChangedAt }) =>
    anyOf(birthDate.between('1990-01-01', readSearchDate(day)), lastChangedAt.gte(new Date()), birthDate.exists(false)),
  ),
  where(({ tags, donations, emails }) =>
    allOf(tags.hasAll(['A', 'B']), donations.total.gte(10000), not(emails.openedAt.exists())),
  ),
  where(({ answer, gender, memberships, optedOut }) =>
    answer('Form:3')
      .gte('5')
      .or(answer(3, ['FormOption:4']), gender.equals('F'), memberships.year.equals(2026), optedOut.equals(true)),
  ),
  where(({ birthDate }) => birthDate.inPeriod('12-15', '01-15')),
];

export const refuseSearches = () => [
  // @ts-expect-error Dates do not permit `contains`.
  where(({ birthDate }) => birthDate.contains('1990')),
  // @ts-expect-error A landline does not permit `contains`, but a mobile does.
  where(({ phone }) => phone.contains('06')),
  // @ts-expect-error There is no such attribute.
  where((contact) => contact.shoeSize.equals('Ada')),
  // @ts-expect-error There is no such attribute of the address.
  where(({ address }) => address.region.equals('Bretagne')),
  // @ts-expect-error A name is a text.
  where(({ lastName }) => lastName.equals(3)),
  // @ts-expect-error An amount is a number, in minor units.
  where(({ donations }) => donations.total.gte('100.00')),
  // @ts-expect-error A date is not any text.
  where(({ birthDate }) => birthDate.lte('yesterday')),
  // @ts-expect-error The unit is unknown.
  where(({ birthDate }) => birthDate.lte('now-18x')),
  // @ts-expect-error A range has two ends.
  where(({ birthDate }) => birthDate.between('1990-01-01')),
  // @ts-expect-error A list takes several values.
  where(({ tags }) => tags.in('Member')),
  // @ts-expect-error A gender is F, M or O.
  where(({ gender }) => gender.equals('X')),
  // @ts-expect-error An attribute is no search.
  where(({ lastName }) => lastName),
  // @ts-expect-error With options, `exists` has no meaning.
  where(({ answer }) => answer(3, [4]).exists()),
];

export const acceptQueries: ContactQuery[] = [
  { and: [{ lastName: { startsWith: 'Du' } }, { not: { address: { city: { exists: true } } } }] },
];
await client.request(SearchContactsDocument, { query: acceptQueries[0], orderBy: { field: 'LAST_NAME' } });

export const refuseQueries: ContactQuery[] = [
  // @ts-expect-error A condition has exactly one operator.
  { lastName: { startsWith: 'Du', equals: 'Dupont' } },
  // @ts-expect-error A part has exactly one field.
  { lastName: { equals: 'Dupont' }, firstName: { equals: 'Jean' } },
  // @ts-expect-error Dates do not permit `contains`.
  { birthDate: { contains: '1990' } },
  // @ts-expect-error A date is not any text.
  { birthDate: { lte: 'yesterday' } },
];
