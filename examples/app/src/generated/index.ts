// Written by `npm run codegen`: change its source instead.
/* eslint-disable */
export * from "./gql";