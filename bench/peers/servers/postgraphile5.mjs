// In charge of the peer PostGraphile 5: the plain schema as it generates it, with filters, simple names and aggregates.
import { createServer } from 'node:http';
import { PgAggregatesPreset } from '@graphile/pg-aggregates';
import { PgSimplifyInflectionPreset } from '@graphile/simplify-inflection';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { PostGraphileConnectionFilterPreset } from 'postgraphile-plugin-connection-filter';

const port = Number(process.env.PORT);
const service = postgraphile({
  extends: [
    PostGraphileAmberPreset,
    PgSimplifyInflectionPreset,
    PostGraphileConnectionFilterPreset,
    PgAggregatesPreset,
  ],
  pgServices: [makePgService({ connectionString: process.env.PLAIN_URL, schemas: ['plain'], poolConfig: { max: 10 } })],
  grafserv: { port, host: '127.0.0.1', graphqlPath: '/graphql', graphiql: false, watch: false, maxRequestLength: 1e6 },
  grafast: { explain: false },
  schema: { connectionFilterRelations: true, defaultBehavior: 'filterBy' },
}).createServ(grafserv);
const server = createServer();
await service.addTo(server);
server.listen(port, '127.0.0.1');
