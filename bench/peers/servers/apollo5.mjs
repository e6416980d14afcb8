// In charge of the peer on Apollo Server 5 and Express 5, with a DataLoader per relation and request.
import { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import DataLoader from 'dataloader';
import express from 'express';
import { GraphQLScalarType } from 'graphql';
import { addresses, answers, dateTime, Mutation, notes, Query, tags, typeDefs } from './hand.mjs';

const batches = { addresses, tags, notes, answers };
const loaders = () =>
  Object.fromEntries(
    Object.entries(batches).map(([name, batch]) => [name, new DataLoader(batch, { maxBatchSize: 5000 })]),
  );
const server = new ApolloServer({
  typeDefs,
  introspection: true,
  csrfPrevention: false,
  resolvers: {
    DateTime: new GraphQLScalarType(dateTime),
    Query,
    Mutation,
    Contact: {
      address: ({ id }, _, { addresses: loader }) => loader.load(id),
      tags: ({ id }, _, { tags: loader }) => loader.load(id),
      notes: ({ id }, _, { notes: loader }) => loader.load(id),
      answers: ({ id }, _, { answers: loader }) => loader.load(id),
    },
  },
});
await server.start();
const app = express();
app.use('/graphql', express.json(), expressMiddleware(server, { context: async () => loaders() }));
app.listen(Number(process.env.PORT), '127.0.0.1');
