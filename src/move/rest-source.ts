// Reads a server that speaks the contract's REST: pages of search, forms, prices, users, teams.
import { formKinds } from '../data/form/form.ts';
import { type SourceClient, SourceRefusal } from './http-client.ts';
import { isSourceRecord, readId } from './read-value.ts';
import type { ContactPage, ListName, Source, SourceRecord } from './source.ts';

/** Items of a list that one request asks for. */
const listPage = 1000;
/** Ids that one search asks for. */
const idsPerSearch = 100;
/** Requests for single contacts that run at once. */
const detailsAtOnce = 4;

interface RestOptions {
  /** Contacts of a page. */
  page: number;
  interactions: boolean;
  /** Whether to read each contact by its id too, which costs one request for each. */
  details: boolean;
}

/** The path of each list but forms, and the name of the list in its reply. */
const listPaths: Record<Exclude<ListName, 'forms'>, [path: string, name?: string]> = {
  priceGroups: ['/v1/membership_price_groups'],
  donationPrices: ['/v1/donation_prices'],
  transactionStatuses: ['/v1/transaction_statuses'],
  users: ['/users', 'users'],
  teams: ['/teams', 'teams'],
};

const getRecords = (value: unknown): SourceRecord[] => (Array.isArray(value) ? value.filter(isSourceRecord) : []);

/** The list in a reply: under a name, or `data` itself. */
const getList = (reply: unknown, name?: string): SourceRecord[] => {
  const data = isSourceRecord(reply) && 'data' in reply ? reply.data : reply;
  return getRecords(isSourceRecord(data) && name ? data[name] : data);
};

export const createRestSource = (name: string, client: SourceClient, options: RestOptions): Source => {
  /** The next page is read while the caller writes the last one. */
  async function* readPagesOfSearch(query: unknown, done: ReadonlySet<number>): AsyncGenerator<ContactPage> {
    const { page: size } = options;
    const next = (from: number): { number: number; page: Promise<SourceRecord[]> } => {
      let number = from;
      while (done.has(1 + number * size)) number++;
      const page = search(query, number, size);
      // It is awaited later. Until then a rejection must not count as unhandled.
      page.catch(() => {});
      return { number, page };
    };
    let current = next(0);
    for (;;) {
      const contacts = await current.page;
      // A server may cap the size of pages below what it was asked for: only an empty page is surely the end.
      if (contacts.length === 0) return;
      const { number } = current;
      current = next(number + 1);
      yield { firstRow: 1 + number * size, contacts: await addDetails(contacts) };
    }
  }

  const search = async (query: unknown, page: number, size: number): Promise<SourceRecord[]> => {
    const { interactions } = options;
    const search = { per_page: size, page, query, ...(interactions && { include_interactions: true }) };
    const reply = await client.ask('POST', '/search', { data: { advanced_search: search } });
    if (
      !isSourceRecord(reply) ||
      !isSourceRecord(reply.data) ||
      (reply.data.contacts != null && !Array.isArray(reply.data.contacts))
    )
      throw new Error(`POST /search of ${name} has no list data.contacts: it does not speak the contract`);
    return getList(reply, 'contacts');
  };

  /** Adds what only the retrieval by id shows. The search counts where both have a value. */
  const addDetails = async (contacts: SourceRecord[]): Promise<SourceRecord[]> => {
    if (!options.details) return contacts;
    const detailed: SourceRecord[] = [];
    for (let from = 0; from < contacts.length; from += detailsAtOnce)
      detailed.push(...(await Promise.all(contacts.slice(from, from + detailsAtOnce).map((one) => addDetail(one)))));
    return detailed;
  };

  const addDetail = async (contact: SourceRecord): Promise<SourceRecord> => {
    const id = readId(contact.id);
    const detail = id === undefined ? undefined : await askIfThere('GET', `/v1/contacts/${id}`);
    if (!isSourceRecord(detail)) return contact;
    const surveys = new Map(getRecords(detail.formdatas).map((answer) => [answer.id, answer.survey_id]));
    const formdatas = getRecords(contact.formdatas).map((answer) => {
      const survey = answer.id == null ? undefined : surveys.get(answer.id);
      return survey == null ? answer : { survey_id: survey, ...answer };
    });
    const {
      address,
      formdatas: _,
      custom_fields: __,
      tags: ___,
      created_at: ____,
      updated_at: _____,
      ...rest
    } = detail;
    const both = isSourceRecord(address) && isSourceRecord(contact.address);
    return {
      black_list: false,
      ...rest,
      ...contact,
      formdatas,
      ...(both && { address: { county: (address as SourceRecord).county, ...(contact.address as SourceRecord) } }),
    };
  };

  const readForms = async (): Promise<SourceRecord[] | undefined> => {
    const forms: SourceRecord[] = [];
    let isThere = false;
    for (const kind of formKinds) {
      const reply = await askIfThere('GET', `/forms/${kind}`);
      if (reply === undefined) continue;
      isThere = true;
      forms.push(...getList(reply, 'forms').map((form) => ({ ...form, kind })));
    }
    return isThere ? forms : undefined;
  };

  const readPages = async (path: string, name?: string): Promise<SourceRecord[] | undefined> => {
    const all = new Map<unknown, SourceRecord>();
    for (let offset = 0; ; ) {
      const reply = await askIfThere('GET', `${path}?limit=${listPage}&offset=${offset}`);
      if (reply === undefined) return offset === 0 ? undefined : [...all.values()];
      const items = getList(reply, name);
      const known = all.size;
      for (const item of items) all.set(readId(item.id) ?? item, item);
      offset += items.length;
      // A server that ignores the offset answers the same items again.
      if (items.length === 0 || all.size === known) return [...all.values()];
    }
  };

  /** Undefined for a path that the server does not have. */
  const askIfThere = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> => {
    try {
      return await client.ask(method, path, body);
    } catch (error) {
      if (error instanceof SourceRefusal && [404, 405, 501].includes(error.status)) return undefined;
      throw error;
    }
  };

  return {
    name,
    completeNotes: false,
    fingerprint: { name, ...options },
    get clockOffset() {
      return client.clockOffset;
    },
    async readList(name: ListName): Promise<SourceRecord[] | undefined> {
      return name === 'forms' ? readForms() : readPages(...listPaths[name]);
    },
    async countContacts(): Promise<number | undefined> {
      const body = { data: { advanced_search: { per_page: 1, query: { $all: [] } } } };
      const reply = await askIfThere('POST', '/kpi', body);
      const data = isSourceRecord(reply) ? reply.data : undefined;
      return isSourceRecord(data) ? readId(data.total) : undefined;
    },
    readContacts(done: ReadonlySet<number>): AsyncIterable<ContactPage> {
      return readPagesOfSearch({ $all: [] }, done);
    },
    async *readChanged(since: string): AsyncIterable<ContactPage> {
      const buildQuery = (attr: string) => ({ $all: [{ $all: [{ $condition: { attr, ope: 'gte', value: since } }] }] });
      // The contract permits only lastchange. UpdatedAt also moves when something else changes what a contact shows.
      const isPermitted = await search(buildQuery('UpdatedAt'), 0, 1).then(
        () => true,
        (error) => {
          if (error instanceof SourceRefusal && error.status === 400) return false;
          throw error;
        },
      );
      yield* readPagesOfSearch(buildQuery(isPermitted ? 'UpdatedAt' : 'lastchange'), new Set());
    },
    async findContacts(ids: readonly number[]): Promise<Set<number>> {
      const found = new Set<number>();
      for (let from = 0; from < ids.length; from += idsPerSearch) {
        const some = ids.slice(from, from + idsPerSearch);
        const query = { $all: [{ $all: [{ $condition: { attr: 'id', ope: 'any_of', value: some } }] }] };
        for (const contact of await search(query, 0, some.length)) {
          const id = readId(contact.id);
          if (id !== undefined) found.add(id);
        }
      }
      return found;
    },
  };
};
