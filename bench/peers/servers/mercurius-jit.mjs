// In charge of the peer on Mercurius: its loaders, its JIT from the first request on.
import Fastify from 'fastify';
import { GraphQLScalarType } from 'graphql';
import mercurius from 'mercurius';
import { addresses, answers, dateTime, gate, Mutation, notes, Query, tags, typeDefs } from './hand.mjs';

const batched = (batch) => ({ loader: (queries) => batch(queries.map(({ obj }) => obj.id)), opts: { cache: false } });
const app = Fastify();
gate(app);
app.register(mercurius, {
  schema: typeDefs,
  jit: 1,
  graphiql: false,
  resolvers: { DateTime: new GraphQLScalarType(dateTime), Query, Mutation },
  loaders: {
    Contact: { address: batched(addresses), tags: batched(tags), notes: batched(notes), answers: batched(answers) },
  },
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
