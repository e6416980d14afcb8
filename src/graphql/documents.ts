// GraphQL documents: each is parsed, measured and validated once, and remembered while there is room for it.
import { hash } from 'node:crypto';
import { type DocumentNode, GraphQLError, Kind, type OperationDefinitionNode, parse, validate } from 'graphql';
import { LRUCache } from 'lru-cache';
import { schema } from '../../schema/index.ts';
import { createVariableCleaner } from '../input/blank.ts';
import { createCacheKey } from '../limits/cache-key.ts';
import { limits } from '../limits/limits.ts';
import { Pace } from '../limits/pace.ts';
import { estimateRecordCount, type RecordEstimate } from '../plan/cost.ts';
import { computeOperationPrice, findOperation, listRootFields } from '../plan/price.ts';
import { createInvalidProblem, type Fault, Problem, type ProblemCode, problems } from '../problem.ts';
import { checkDocumentLimits } from './document-size.ts';
import { type Execute, planExecution } from './execute.ts';

export interface MeasuredDocument {
  /** Why it is not valid, or does not name its operation. */
  errors: readonly GraphQLError[];
  /** For a valid one: its syntax tree, and the execution of its operation. */
  valid?: { document: DocumentNode; execute: Execute };
  /** The refusal of a document that no variables can save; its request costs 1. */
  refusal?: Problem;
  isMutation: boolean;
  /** Also of one that is not valid: its client reads a stream, and the errors of a refusal. */
  isSubscription: boolean;
  /** Whether it reads the change feed: what its client reads then must not be older than the feed. */
  readsFeed: boolean;
  /** Its root field by its name in the schema, for metrics and traces: `several` for more than one. */
  operation: string;
  /** Tokens for its root fields. */
  rootCost: number;
  /** How many records it may yield; 0 when it is not valid, since it is not executed then. */
  estimate(variables: Record<string, unknown>): RecordEstimate;
  /** Replaces empty texts in variables by their meaning, where they have one. */
  clear?: ((variables: Record<string, unknown>) => Record<string, unknown>) | undefined;
}

/** In bytes, estimated: the size of all remembered documents, of each one, and of each of its characters. */
const memory = { total: 32 * 1024 * 1024, perDocument: 4000, perCharacter: 60 };

/** A cache by the text of a document and the operation that is named, bounded in bytes. Texts may be long, so only the hash of a key is kept. */
export const createDocumentCache = <Value extends object>() => {
  const cache = new LRUCache<string, Value>({ maxSize: memory.total });
  const keyOf = (text: string, operationName: string | null): string =>
    hash('sha256', createCacheKey(text, operationName), 'base64url');
  return {
    get bytes(): number {
      return cache.calculatedSize;
    },
    get: (text: string, operationName: string | null = null): Value | undefined =>
      cache.get(keyOf(text, operationName)),
    set(text: string, value: Value, operationName: string | null = null): void {
      const size = memory.perDocument + text.length * memory.perCharacter;
      cache.set(keyOf(text, operationName), value, { size });
    },
  };
};

const noRecords: RecordEstimate = { total: 0, largest: { path: '', count: 0 } };
const nothing: MeasuredDocument = {
  errors: [],
  isMutation: false,
  isSubscription: false,
  readsFeed: false,
  operation: 'unknown',
  rootCost: 1,
  estimate: () => noRecords,
};
const refused = (refusal: Problem): MeasuredDocument => ({ ...nothing, refusal });
/** A document whose only result is why it was refused. */
export const describeRefused = (refusal: Problem): MeasuredDocument => ({ ...nothing, errors: [refusal] });

export class Documents {
  readonly #known = createDocumentCache<MeasuredDocument>();
  readonly #capacity: number;
  readonly #pace = new Pace();

  /** `capacity` is the size of a bucket. A document that costs more is refused. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** A remembered document, or the refusal of one that is too long to read. */
  find(text: string, operationName: string | null): MeasuredDocument | undefined {
    return refuseLongText(text, operationName) ?? this.#known.get(text, operationName);
  }

  /**
   * Parses, measures, validates and remembers a document. One that does not parse, or is larger than allowed, is not remembered. It calls `pay` with the price of its root fields before validation,
   * which takes the longest. New documents are measured one after the other, and other requests run in between.
   */
  async measure(
    text: string,
    operationName: string | null,
    pay: (cost: number) => Promise<void>,
  ): Promise<MeasuredDocument> {
    await this.#pace.turn();
    const parsed = parseWithinLimits(text, operationName, this.#capacity);
    if (parsed instanceof Problem) return refused(parsed);
    await pay(parsed.rootCost);
    await this.#pace.turn();
    const measured = measure(parsed, operationName);
    if (!(parsed.document instanceof GraphQLError)) this.#known.set(text, measured, operationName);
    return measured;
  }
}

const refuseLongText = (text: string, operationName: string | null): MeasuredDocument | undefined => {
  const { characters, operationNameCharacters } = limits.document;
  const refuse = (what: string, { length }: string, most: number): MeasuredDocument =>
    refused(new Problem('query-too-large', `${what} has ${length} characters; at most ${most} are allowed`));
  if (text.length > characters) return refuse('The document', text, characters);
  if (!operationName || operationName.length <= operationNameCharacters) return undefined;
  return refuse('operationName', operationName, operationNameCharacters);
};

interface Parsed {
  /** An error when it does not parse. */
  document: DocumentNode | GraphQLError;
  rootCost: number;
}

/** A document within the limits of its size, or its refusal. */
const parseWithinLimits = (text: string, operationName: string | null, capacity: number): Parsed | Problem => {
  try {
    const document = parseWithin(text);
    if (document instanceof GraphQLError) return { document, rootCost: 1 };
    const rootCost = computeOperationPrice(schema, document, operationName);
    checkCost(rootCost, capacity);
    checkDocumentLimits(document);
    return { document, rootCost };
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
};

const addCode = ({ message, nodes, source, positions }: GraphQLError, code: ProblemCode): GraphQLError =>
  new GraphQLError(message, { nodes, source, positions, extensions: { code, status: problems[code][0] } });

const describeOperationFault = (operationName: string | null): Fault =>
  operationName === null
    ? { location: 'operationName', message: 'is required, since the document has not one operation alone' }
    : { location: 'operationName', message: 'names no operation of the document', value: operationName };

/** The root field of the change feed. */
const feedField = 'changes';

const measure = ({ document, rootCost }: Parsed, operationName: string | null): MeasuredDocument => {
  const invalid = { ...nothing, rootCost };
  if (document instanceof GraphQLError) return { ...invalid, errors: [document] };
  const operation = findOperation(document, operationName);
  if (!operation) return { ...invalid, errors: [createInvalidProblem([describeOperationFault(operationName)])] };
  const kind = {
    isMutation: operation.operation === 'mutation',
    isSubscription: operation.operation === 'subscription',
  };
  const errors = validate(schema, document).map((error) => addCode(error, 'invalid-document'));
  if (errors.length > 0) return { ...invalid, ...kind, errors };
  try {
    return {
      ...invalid,
      ...kind,
      valid: { document, execute: planExecution(document, operation, operationName) },
      operation: nameOperation(operation),
      readsFeed:
        operation.operation === 'query' &&
        listRootFields(document, operation).some(({ name }) => name.value === feedField),
      estimate: estimateRecordCount(schema, document, operation),
      clear: createVariableCleaner(schema, operation),
    };
  } catch (error) {
    if (error instanceof Problem) return refused(error);
    throw error;
  }
};

/** The name is that of a field of the schema: the document is valid. */
const nameOperation = ({ selectionSet: { selections } }: OperationDefinitionNode): string => {
  const [first, ...others] = selections;
  if (others.length > 0 || first?.kind !== Kind.FIELD) return 'several';
  return first.name.value.startsWith('__') ? 'introspection' : first.name.value;
};

/** An error for a document that does not parse. */
const parseWithin = (text: string): DocumentNode | GraphQLError => {
  try {
    return parse(text, { maxTokens: limits.document.tokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    // The words of graphql-js. The error as a text would also show the document, which may use the same words.
    if (!error.message.startsWith('Syntax Error: Document contains more')) return addCode(error, 'syntax-error');
    throw new Problem('query-too-large', `The document has more than ${limits.document.tokens} lexical tokens`);
  }
};

const checkCost = (cost: number, capacity: number): void => {
  if (cost > capacity)
    throw new Problem('query-too-expensive', `The document costs ${cost} points; the bucket holds at most ${capacity}`);
};

/** The price of a document with these variables, and how many records it may yield. Throws 400 when either is too high. */
export const priceDocument = (
  { refusal, rootCost, estimate }: MeasuredDocument,
  variables: Record<string, unknown>,
  capacity: number,
): { cost: number; nodes: number } => {
  if (refusal) throw refusal;
  const { total, largest } = estimate(variables);
  const allowed = limits.document.nodes;
  if (total > allowed)
    throw new Problem(
      'query-too-large',
      `The document may yield ${total} records; at most ${allowed} are allowed. ${largest.path} yields most of them, ${largest.count}: ask for shorter pages`,
    );
  // The price of the root fields includes the first records; each further step, also one that is begun, costs a point.
  const cost = rootCost + Math.max(0, Math.ceil(total / limits.document.nodesPerToken) - 1);
  checkCost(cost, capacity);
  return { cost, nodes: total };
};
