// In charge of the peer PostGraphile 4: the plain schema as it generates it, with filters, simple names and aggregates.
import { createServer } from 'node:http';
import aggregates from '@graphile/pg-aggregates';
import simpleNames from '@graphile-contrib/pg-simplify-inflector';
import pg from 'pg';
import { postgraphile } from 'postgraphile';
import filters from 'postgraphile-plugin-connection-filter';

const pool = new pg.Pool({ connectionString: process.env.PLAIN_URL, max: 10 });
const handle = postgraphile(pool, 'plain', {
  appendPlugins: [simpleNames, filters, aggregates.default],
  graphileBuildOptions: { connectionFilterRelations: true },
  graphiql: false,
  dynamicJson: true,
  setofFunctionsContainNulls: false,
  legacyRelations: 'omit',
  disableQueryLog: true,
  retryOnInitFail: false,
});
createServer(handle).listen(Number(process.env.PORT), '127.0.0.1');
