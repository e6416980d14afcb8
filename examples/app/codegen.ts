// Settings of GraphQL Code Generator: the types of the documents in src/documents.ts. In an app of your own, `npx graphql-codegen` reads them.
export default {
  schema: '../../schema/schema.graphql',
  documents: 'src/documents.ts',
  generates: {
    'src/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        scalars: {
          ContactQueryJSON: 'object',
          Date: 'string',
          DateTime: 'string',
          QueryTree: 'object',
          SafeInt: 'number',
          SearchDate: 'string',
          WholeNumber: 'number',
        },
      },
    },
  },
};
