// Authors of records, who are users or apps: a number tells which of both.

/** No user has such a number (migrations/0037_apps.sql). */
export const isAppNumber = (id: number): boolean => id >= 1_000_000_000 && id < 2_000_000_000;

/** The global id of a user, or of an app. */
export const formatAuthorId = (id: number): string => `${isAppNumber(id) ? 'App' : 'User'}:${id}`;
