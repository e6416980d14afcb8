// Trusted documents: reads the list that an operator allows, and refuses one with a document that could not be executed.
import { readFile } from 'node:fs/promises';
import { GraphQLError, Kind, parse, validate } from 'graphql';
import { schema } from '../../schema/index.ts';
import type { Config } from '../config/config.ts';
import { Documents } from './documents.ts';
import { hashForm } from './parameters.ts';
import { hashDocument, type TrustedDocuments } from './persisted-documents.ts';

type Settings = Pick<Config, 'TRUSTED_DOCUMENTS' | 'TRUSTED_DOCUMENTS_FILE' | 'BUCKET_CAPACITY'>;

const maxFaults = 20;

/** The list that the settings name. Throws an Error with the faults of its documents; undefined when they are off. */
export const readTrustedDocuments = async (config: Settings): Promise<TrustedDocuments | undefined> => {
  const { TRUSTED_DOCUMENTS: mode, TRUSTED_DOCUMENTS_FILE: file } = config;
  if (mode === 'off' || file === undefined) return undefined;
  const refuse = (reason: string): never => {
    throw new Error(`TRUSTED_DOCUMENTS_FILE: ${file} ${reason}`);
  };
  const content = await readFile(file, 'utf8').catch((error: Error) => refuse(`cannot be read: ${error.message}`));
  const entries = Object.entries(parseList(content, refuse));
  if (entries.length === 0) refuse('has no documents');
  const documents = new Documents(config.BUCKET_CAPACITY);
  const texts = new Map<string, string>();
  const faults: string[] = [];
  for (const [key, text] of entries) {
    const found = await findFaults(key, text, documents);
    faults.push(...found.map((fault) => `${key}: ${fault}`));
    if (found.length === 0) texts.set(hashForm.exec(key)![1]!, text as string);
  }
  if (faults.length === 0) return { only: mode === 'only', texts };
  const more = faults.length > maxFaults ? [`and ${faults.length - maxFaults} more`] : [];
  return refuse(
    `has documents that cannot be used:\n${[...faults.slice(0, maxFaults), ...more].map((fault) => `  ${fault}`).join('\n')}`,
  );
};

const parseList = (content: string, refuse: (reason: string) => never): object => {
  let list: unknown;
  try {
    list = JSON.parse(content);
  } catch (error) {
    refuse(`is not JSON: ${(error as Error).message}`);
  }
  if (typeof list !== 'object' || list === null || Array.isArray(list))
    return refuse('must be a JSON object of SHA-256 hashes and documents');
  return list;
};

/** Why a document cannot be used under this key. A key that is not the hash of its text would name another document than the client means. */
const findFaults = async (key: string, text: unknown, documents: Documents): Promise<string[]> => {
  if (!hashForm.test(key)) return ['must be a SHA-256 in 64 lower-case hexadecimal digits; other hashes are not used'];
  if (typeof text !== 'string') return ['must be the text of a document'];
  const hash = hashDocument(text);
  if (!key.endsWith(hash)) return [`is not the SHA-256 of its document, which is ${hash}`];
  try {
    const document = parse(text);
    const invalid = validate(schema, document);
    if (invalid.length > 0) return invalid.map(describeFault);
    const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
    const faults: string[] = [];
    for (const { name } of operations) {
      const operationName = operations.length > 1 ? name!.value : null;
      const { refusal, valid, isSubscription } =
        documents.find(text, operationName) ?? (await documents.measure(text, operationName, async () => {}));
      if (refusal) faults.push(refusal.message);
      else if (!valid || isSubscription) faults.push('is neither a query nor a mutation');
    }
    return faults;
  } catch (error) {
    if (error instanceof GraphQLError) return [describeFault(error)];
    throw error;
  }
};

const describeFault = ({ message, locations }: GraphQLError): string => {
  const [place] = locations ?? [];
  return place ? `${message} (line ${place.line}, column ${place.column})` : message;
};
