// Lints the graph: its SDL by the rules of graphql-eslint, and the stored operations. What is switched off has its reason beside it.
import { readFileSync } from 'node:fs';
import graphql from '@graphql-eslint/eslint-plugin';

const { configs, parser } = graphql;
const graphQLConfig = { schema: readFileSync('schema/schema.graphql', 'utf8'), documents: 'src/rest/*.graphql' };
const languageOptions = { parser, parserOptions: { graphQLConfig } };

const isDay = (text) => {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};

/** The reason of a deprecation says what to use instead, and until which day the element stays at least. */
const deprecationDate = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    'Directive[name.value=deprecated]'(node) {
      const reason = node.arguments.find(({ name }) => name.value === 'reason')?.value.value ?? '';
      const day = /^Use .+\. Removed after (\d{4}-\d{2}-\d{2})\.$/s.exec(reason)?.[1];
      if (day && isDay(day)) return;
      const message = `The reason must be like "Use \`email\`. Removed after 2027-06-30.", not ${JSON.stringify(reason)}`;
      context.report({ node, message });
    },
  }),
};
const plugins = { '@graphql-eslint': graphql, muster: { rules: { 'deprecation-date': deprecationDate } } };

/** Types without an id: values, and what carries records. */
const types = [
  'Address',
  'AuditCount',
  'CallerSpending',
  'Change',
  'ContactChangeExample',
  'ContactChangePreview',
  'ContactCount',
  'ContactFacetValue',
  'ContactFacets',
  'DuplicateGroup',
  'Fault',
  'InvitationSecret',
  'MergeConflict',
  'Money',
  'MovedRecords',
  'PageInfo',
  'Problem',
  'RateLimit',
  'RefusedContact',
  'SearchAttribute',
  'SearchExplanation',
  'SearchOperator',
  'TimelineEntry',
  'UpsertedContact',
  'ValueChange',
  'Viewer',
];

/** The enum whose values are names of the contract: only `searchContactsByTree` takes it. */
const contractEnum = 'SearchSort';
const [, naming] = configs['flat/schema-recommended'].rules['@graphql-eslint/naming-convention'];
const { EnumValueDefinition: enumStyle, ...names } = naming;

export default [
  {
    files: ['schema/schema.graphql'],
    languageOptions,
    plugins,
    rules: {
      ...configs['flat/schema-recommended'].rules,
      ...configs['flat/schema-relay'].rules,
      '@graphql-eslint/naming-convention': [
        'error',
        { ...names, [`EnumValueDefinition[parent.name.value!=${contractEnum}]`]: enumStyle },
      ],
      // A prefix is no fault when it is the name of another type (`Donation.donationPrice` is a `DonationPrice`) or half a word (`Answer.answeredAt`).
      '@graphql-eslint/no-typename-prefix': 'off',
      // `searchContactsByTree` pages forwards and by number, as the contract does. A test holds both directions of all other connections.
      '@graphql-eslint/relay-arguments': ['error', { includeBoth: false }],
      // Connections have `nodes` beside `edges`, and lists that cannot grow are no connections. An entry of a timeline is no record: it leads to one.
      '@graphql-eslint/relay-edge-types': [
        'error',
        { withEdgeSuffix: true, shouldImplementNode: false, listTypeCanWrapOnlyEdgeType: false },
      ],
      '@graphql-eslint/strict-id-in-types': [
        'error',
        {
          acceptedIdNames: ['id'],
          acceptedIdTypes: ['ID'],
          exceptions: { types, suffixes: ['Connection', 'Edge', 'List', 'Payload', 'Result', 'Total'] },
        },
      ],
      '@graphql-eslint/input-name': ['error', { checkInputType: false }],
      '@graphql-eslint/no-scalar-result-type-on-mutation': 'error',
      '@graphql-eslint/require-nullable-fields-with-oneof': 'error',
      'muster/deprecation-date': 'error',
    },
  },
  {
    // Codegen validates them against the form of the schema that legacy clients use. These rules need no schema.
    files: ['src/rest/*.graphql'],
    languageOptions,
    plugins,
    rules: {
      '@graphql-eslint/naming-convention':
        configs['flat/operations-recommended'].rules['@graphql-eslint/naming-convention'],
      '@graphql-eslint/no-anonymous-operations': 'error',
      '@graphql-eslint/no-duplicate-fields': 'error',
      '@graphql-eslint/unique-fragment-name': 'error',
      '@graphql-eslint/unique-operation-name': 'error',
    },
  },
];
