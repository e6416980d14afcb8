// Documents with the types of their variables and their result.

/** Carries types only: what GraphQL Code Generator calls `DocumentTypeDecoration`. */
export interface DocumentTypes<Data, Variables> {
  __apiType?: (variables: Variables) => Data;
}

/** The text of a document, with its types. */
export type TypedDocument<Data, Variables> = string & DocumentTypes<Data, Variables>;

/**
 * What a client sends: a text of this package, a `TypedDocumentString` or a `TypedDocumentNode` of GraphQL Code Generator, or any text, whose data
 * are then `unknown`.
 */
export type AnyDocument<Data, Variables> = DocumentTypes<Data, Variables> & { toString(): string };

/** The last argument of a call, and the variables before it; they may be left out when no variable is required. */
export type VariablesAndOptions<Variables, Options> =
  Record<never, never> extends Variables
    ? [variables?: NoInfer<Variables>, options?: Options]
    : [variables: NoInfer<Variables>, options?: Options];

/** Prints a parsed document: `print` of graphql. */
export type PrintDocument = (document: never) => string;

/** The text of a document. Throws a TypeError for a parsed document without a printer. */
export const readDocument = (document: { toString(): string }, print?: PrintDocument): string => {
  if ((document as { kind?: unknown }).kind !== 'Document') return document.toString();
  if (print) return print(document as never);
  throw new TypeError(
    'The document is parsed: pass `print` of graphql to createClient, or let the preset write texts (documentMode: "string")',
  );
};
