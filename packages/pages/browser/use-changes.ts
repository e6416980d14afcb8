// Tells when somebody changes a contact or a record of one, as long as the page is seen. It follows the subscription `changes`, whose token is in a header.
import { useEffect } from 'preact/hooks';
import { type Api, convertToProblem, sleep } from './api.ts';

const changesDocument = 'subscription { changes { contactId } }';

/** In milliseconds: how long it waits after a change or a lost connection. A change that comes soon again doubles it. */
const [shortest, longest] = [2000, 30_000];

/**
 * Calls `notice` after changes. A stream is given up at the first change and opened anew after the pause, which is when it is told: what many changes
 * cost is then bounded, since the server asks a price for each event.
 */
export const useChanges = (api: Api, permissions: readonly string[], notice: () => void): void => {
  useEffect(() => {
    if (!permissions.includes('changes.read')) return;
    let seen: AbortController | undefined;
    /** Whether something may have changed before the stream is open. */
    let isMissed = false;

    const waitForChange = async (signal: AbortSignal): Promise<void> => {
      for await (const event of api.follow<{ changes: { contactId: string | null } }>(changesDocument, signal)) {
        if (event?.changes.contactId) return;
        if (!event && isMissed) notice();
      }
    };
    const follow = async (signal: AbortSignal): Promise<void> => {
      let pause = shortest / 2;
      for (;;) {
        const began = performance.now();
        let wanted = 0;
        try {
          await waitForChange(signal);
        } catch (error) {
          if (signal.aborted) return;
          const { code, retryAfter = 0 } = convertToProblem(error);
          // Asking again changes nothing. The count may be refused, too.
          if (code === 'unauthenticated' || code === 'forbidden') return notice();
          wanted = 1000 * retryAfter;
        } finally {
          isMissed = true;
        }
        const isSoon = performance.now() - began < 5 * pause;
        pause = isSoon ? Math.min(2 * pause, longest) : shortest;
        await sleep(Math.max(pause, wanted), signal);
      }
    };
    const onVisibility = (): void => {
      seen?.abort();
      seen = undefined;
      if (document.visibilityState === 'hidden') return;
      seen = new AbortController();
      follow(seen.signal).catch(() => undefined);
    };
    onVisibility();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      seen?.abort();
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [api, permissions, notice]);
};
