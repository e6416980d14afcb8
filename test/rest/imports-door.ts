// What tests of uploaded files enter by: requests of the door for files, and the job that imports one.
import { continueFileImport } from '../../src/import/contact-file.ts';
import type { Door, Json } from '../harness/app.ts';

export interface FileAnswer {
  status: number;
  headers: Headers;
  /** The `data` of a success, the problem, or text. */
  data: Json;
}

export const createFileClient = (door: Door) => {
  const call = async (
    method: string,
    path: string,
    { body, token, headers = {} }: { body?: Json; token?: string | null; headers?: Record<string, string> } = {},
  ): Promise<FileAnswer> => {
    const isBytes = typeof body === 'string' || body instanceof Uint8Array;
    const bearer = token === undefined ? await door.token(1, 1) : token;
    const response = await door.app.fetch(
      new Request(`http://muster.test/imports${path}`, {
        method,
        headers: {
          ...(bearer && { Authorization: `Bearer ${bearer}` }),
          ...(body !== undefined && { 'Content-Type': isBytes ? 'text/csv' : 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: isBytes ? (body as string) : JSON.stringify(body) }),
      }),
    );
    // A byte order mark is a part of a file.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
    const isJson = /\b(problem\+)?json(;|$)/.test(response.headers.get('content-type') ?? '');
    const parsed = isJson ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, data: parsed ? (parsed.data ?? parsed) : text };
  };
  return {
    call,
    /** Sends a file, and returns its id. */
    async upload(body: string | Buffer, token?: string): Promise<number> {
      const { status, data } = await call('POST', '?name=people.csv', { body, ...(token && { token }) });
      if (status !== 201) throw new Error(`The file was answered with ${status}: ${JSON.stringify(data)}`);
      return data.id;
    },
    post: (id: number, verb: string, options: Json = {}, token?: string) =>
      call('POST', `/${id}/${verb}`, { body: options, ...(token && { token }) }),
    read: (id: number, token?: string) => call('GET', `/${id}`, token ? { token } : {}),
    /** Does what a job does. */
    work: (id: number, signal = new AbortController().signal, space = 1) =>
      continueFileImport(door.database, { space, file: id }, signal),
  };
};
