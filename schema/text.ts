// Rules for text that is written: how long, and which characters PostgreSQL cannot hold.
import { z } from 'zod';
import { limits } from '../src/limits.ts';

/** U+0000 and lone surrogates: neither can be stored as sent. */
const storable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
const fits = (text: string, limit: number): boolean => text.length <= limit || [...text].length <= limit;

const text = (limit: number) =>
  z
    .string()
    .refine(storable, { error: 'must not contain U+0000 or a lone surrogate', abort: true })
    .refine((value) => fits(value, limit), `must be at most ${limit} characters`);

/** A name or another field of one line. */
export const line = text(limits.value.lineCharacters);
/** A cursor: it may hold what a list is sorted by, in as many bytes as there are. */
export const cursor = text(limits.value.cursorCharacters);
/** A name that must say something. */
export const name = line.refine((value) => value.trim() !== '', 'must not be blank');
/** Content of a note, comments, a description. */
export const prose = text(limits.value.proseCharacters);
/** An e-mail address. */
export const mail = line.refine((value) => z.email().safeParse(value).success, 'must be a valid email address');
