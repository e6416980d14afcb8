// GraphiQL (placeholder until the page lands).
export const graphiql = (_request: Request, _url: URL): Response | undefined => undefined;
