// In charge of the best SQL that we could write for each workload: one statement that answers the very JSON that is sent.
// `selected` has the fields that a client of the graph selects; `contract` the one shape that contacts have over REST (spec §2.3).

const list = (what: string, from: string): string => `coalesce((select json_agg(${what}) from ${from}), '[]')`;
const object = (of: string, fields: Record<string, string>): string =>
  `json_build_object(${Object.entries(fields)
    .map(([name, column]) => `'${name}', ${/^\w+$/.test(column) ? `${of}.${column}` : column}`)
    .join(', ')})`;
const same = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]));

const inOrder = 'order by t.id';
const tags = list(
  `json_build_object('name', t.name, 'color', t.color) ${inOrder}`,
  'contact_tag ct join tag t on t.id = ct.tag_id where ct.contact_id = c.id',
);
const notes = (fields: Record<string, string>): string =>
  list(
    object('n', fields),
    '(select * from note where contact_id = c.id order by pinned desc, created_at desc, id desc) n',
  );
const address = (fields: Record<string, string>): string =>
  `(select ${object('a', fields)} from address a where a.contact_id = c.id)`;

const basic = same('id', 'firstname', 'surname', 'mail', 'mobile', 'birthdate', 'gender');
const short = {
  address: address(same('street', 'houseNumber', 'postalCode', 'city', 'country')),
  notes: notes(same('id', 'content', 'pinned', 'createdAt')),
};
const everything = object('c', {
  ...basic,
  ...same('marriedName', 'ageCategory', 'birthDept', 'birthCity', 'birthCountry', 'nationality'),
  ...same('phone', 'phoneInvalid', 'mobileInvalid', 'blackList', 'lastchange', 'createdAt', 'updatedAt'),
  address: address({
    ...same('id', 'houseNumber', 'street', 'addition', 'building', 'floor', 'door', 'infos', 'postalCode', 'citycode'),
    ...same('city', 'county', 'state', 'country', 'pollingStation', 'latitude', 'longitude', 'score', 'invalid'),
  }),
  tags,
  notes: notes(same('id', 'content', 'pinned', 'createdAt', 'updatedAt')),
  answers: list(
    `${object('a', same('id', 'formId', 'formRefId', 'data', 'date', 'createdAt', 'updatedAt'))} order by a.id`,
    'answer a where a.contact_id = c.id',
  ),
});

const answered = (custom: boolean): string =>
  list(
    `${object('a', same('id', 'form_id', 'form_ref_id', 'data', 'created_at', 'updated_at', 'date', 'group_id', 'contact_id'))} order by a.id`,
    `answer a join form f on f.id = a.form_id where a.contact_id = c.id and (f.kind = 'custom_fields') = ${custom}`,
  );
const contract = object('c', {
  ...same('id', 'group_id', 'lastchange', 'firstname', 'surname', 'married_name', 'gender'),
  CreatedAt: 'created_at',
  UpdatedAt: 'updated_at',
  birthdate: `c.birthdate || 'T00:00:00Z'`,
  ...same('age_category', 'birth_dept', 'birth_city', 'birth_country', 'nationality', 'mail', 'phone'),
  ...same('mobile', 'black_list'),
  // Only flags that are set are sent.
  phone_invalid: 'nullif(c.phone_invalid, false)',
  mobile_invalid: 'nullif(c.mobile_invalid, false)',
  birthdept: 'birth_dept',
  birthcity: 'birth_city',
  birthcountry: 'birth_country',
  address: address({
    ...same(
      'id',
      'street',
      'citycode',
      'city',
      'county',
      'state',
      'country',
      'addition',
      'infos',
      'building',
      'floor',
      'door',
    ),
    housenumber: 'house_number',
    postalcode: 'postal_code',
    pollingstation: 'polling_station',
    ...same('score', 'latitude', 'longitude', 'invalid'),
  }),
  tags,
  actions_ids: `'[]'::json`,
  action_ids: `'[]'::json`,
  formdatas: answered(false),
  customfields: answered(true),
  custom_fields: answered(true),
  notes: `(select ${object('n', { ...same('id', 'created_at', 'updated_at', 'contact_id', 'group_id', 'user_id', 'pinned'), data: 'content' })}
     from note n where n.contact_id = c.id order by pinned desc, created_at desc, id desc limit 1)`,
});

const insert = (shape: string): string =>
  `insert into note as n (contact_id, content, pinned) values ($1, $2, $3) returning ${shape}`;

export type Shape = 'selected' | 'contract';
const contacts: Record<Shape, Record<'single' | 'list50' | 'filter' | 'agg' | 'bulk', string>> = {
  selected: {
    single: object('c', { ...basic, tags, ...short }),
    list50: object('c', { ...basic, tags, notes: short.notes }),
    filter: object('c', { ...basic, tags, address: short.address }),
    agg: object('c', basic),
    bulk: everything,
  },
  contract: { single: contract, list50: contract, filter: contract, agg: contract, bulk: contract },
};

/** The page is found first, so that only its contacts are made into JSON. */
const page = (shape: string, from: string, limit: number, skip = ''): string =>
  `select coalesce(json_agg(j), '[]') from (
     select ${shape} as j from (select c.* from ${from} order by c.surname, c.id limit ${limit}${skip}) c) page`;

/** The statements of a shape. */
export const buildStatements = (shape: Shape): Record<string, string> => {
  const { single, list50, filter, agg, bulk } = contacts[shape];
  const everybody = 'contact c where c.group_id = 1';
  return {
    single: `select ${single} from contact c where c.id = $1`,
    list50: page(list50, everybody, 50, ' offset $1'),
    filter: page(
      filter,
      `contact c join address a on a.contact_id = c.id where c.group_id = 1 and a.city = $1
         and exists (select from contact_tag ct where ct.contact_id = c.id and ct.tag_id = any($2::int[]))`,
      50,
    ),
    agg: page(
      agg,
      `${everybody} and c.surname like $1 || '%' and (select sum(amount) from transaction t where t.contact_id = c.id) >= 10000`,
      50,
    ),
    bulk: page(bulk, everybody, 1000, ' offset $1'),
    note: insert(
      shape === 'selected'
        ? object('n', same('id', 'contactId', 'content', 'pinned', 'createdAt', 'updatedAt'))
        : object('n', same('id', 'contact_id', 'content', 'pinned', 'created_at', 'updated_at')),
    ),
  };
};
