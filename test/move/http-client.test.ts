// The client of a source: its pace, its retries, what it refuses, and what it tells.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BucketPace, SourceClient } from '../../src/move/http-client.ts';
import { listenLocally } from './moving.ts';

afterEach(() => void vi.restoreAllMocks());

type Reply = { status?: number; headers?: Record<string, string>; body?: string; cut?: boolean };

/** A server that gives these replies in turn, and a client that waits for nothing. */
const serve = async (...replies: Reply[]) => {
  const asked: (string | undefined)[] = [];
  const address = await listenLocally((request, response) => {
    asked.push(request.headers.authorization);
    const {
      status = 200,
      headers = {},
      body = '{"ok":true}',
      cut,
    } = replies[Math.min(asked.length, replies.length) - 1]!;
    if (cut) return void request.socket.destroy();
    response.writeHead(status, headers).end(body);
  });
  const waits: number[] = [];
  const notes: string[] = [];
  const client = new SourceClient({
    address,
    token: 'secret',
    note: (text: string) => void notes.push(text),
    wait: async (milliseconds) => void waits.push(milliseconds),
  });
  return { client, waits, notes, asked };
};

describe('a request', () => {
  it('is sent again after an hour when the server asks for a year or more', async () => {
    const headers = { 'Retry-After': '9999999999' };
    const { client, waits } = await serve({ status: 503, headers, body: '' }, {});
    expect(await client.ask('GET', '/forms/consent')).toEqual({ ok: true });
    expect(waits).toEqual([3_600_000]);
  });

  it('is sent again after 429, 5xx, a cut connection and half a reply', async () => {
    const { client, waits, notes, asked } = await serve(
      { status: 429, headers: { 'Retry-After': '7' }, body: '' },
      { status: 503, body: '{"title":"busy"}' },
      { cut: true },
      { body: '{"data":{"contac' },
      {},
    );
    expect(await client.ask('GET', '/forms/consent')).toEqual({ ok: true });
    expect(asked).toEqual(Array(5).fill('Bearer secret'));
    expect(waits[0]).toBeGreaterThanOrEqual(7000);
    expect(waits).toHaveLength(4);
    expect(waits[3]).toBeGreaterThan(waits[1]! / 2);
    expect(notes.map((note) => note.replace(/; trying again.*/, ''))).toEqual([
      'GET /forms/consent: status 429',
      'GET /forms/consent: status 503: busy',
      'GET /forms/consent: The connection was closed by the other side',
      'GET /forms/consent: the reply is not whole JSON',
    ]);
  });

  it('fails after eight tries', async () => {
    const { client, asked } = await serve({ status: 500 });
    await expect(client.ask('GET', '/x')).rejects.toThrow('GET /x failed 8 times: status 500');
    expect(asked).toHaveLength(8);
  });

  it('follows no redirect, since that could give the token away', async () => {
    const { client, asked } = await serve({ status: 302, headers: { Location: 'https://elsewhere.example.org/' } });
    await expect(client.ask('GET', '/x')).rejects.toThrow('is redirected to https://elsewhere.example.org/');
    expect(asked).toHaveLength(1);
  });

  it('that is refused says what to do, and is not repeated', async () => {
    const { client, asked } = await serve({ status: 403, body: '{"detail":"no"}' });
    await expect(client.ask('GET', '/x')).rejects.toThrow('status 403: no. The user of the token may not read this');
    expect(asked).toHaveLength(1);
  });
});

describe('the pace', () => {
  const headers = (burst: number, rate: number, remaining: number, cost = 1): Headers =>
    new Headers({
      'X-Ratelimit-Limit': `burst:${burst};rate:${rate.toFixed(1)}`,
      'X-Ratelimit-Remaining': String(remaining),
      'X-Ratelimit-Cost': String(cost),
    });

  it('leaves a fifth of the bucket to others, and never asks for more than is refilled', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const pace = new BucketPace(async (milliseconds) => {
      now += milliseconds;
    });
    let tokens = 100;
    let [at, least] = [0, 100];
    for (let request = 0; request < 500; request++) {
      await pace.take();
      tokens = Math.min(100, tokens + ((now - at) / 1000) * 10) - 1;
      at = now;
      least = Math.min(least, tokens);
      pace.learn(headers(100, 10, tokens));
    }
    expect(least).toBeGreaterThanOrEqual(19);
    expect(now / 1000).toBeCloseTo(42, 0);
  });

  it('is that of a small bucket, and of dear requests', async () => {
    const waits: number[] = [];
    const pace = new BucketPace(async (milliseconds) => void waits.push(milliseconds));
    pace.learn(headers(5, 1, 0, 5));
    await pace.take();
    expect(waits[0]! / 1000).toBeCloseTo(5, 0);
    pace.learn(new Headers({ 'X-Ratelimit-Limit': 'nonsense', 'X-Ratelimit-Remaining': '' }));
    await pace.take();
    expect(waits).toHaveLength(2);
  });
});
