// Follows the changes of the space while the app is open: the cache takes them over, and new contacts are counted.
import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { Changes } from './documents.ts';

/** Each look costs a token of the space, so it is not too often, and never while nobody sees the page. */
const everyMs = Number(import.meta.env.VITE_LOOK_EVERY_MS ?? 5000);

/** How many contacts were created since the page was opened, or since `reset`. */
export const useLiveChanges = (): { created: number; reset(): void } => {
  const client = useClient();
  const [created, setCreated] = useState(0);
  useEffect(() => {
    let after: string | null = null;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout>;
    const look = async (): Promise<void> => {
      if (document.hidden) {
        timer = setTimeout(look, everyMs);
        return;
      }
      const { data } = await client.query(Changes, { after }, { requestPolicy: 'network-only' }).toPromise();
      if (isOver) return;
      after = data?.changes.cursor ?? after;
      const news = data?.changes.nodes.filter(({ type, operation }) => type === 'CONTACT' && operation === 'CREATED');
      if (news?.length) setCreated((count) => count + news.length);
      timer = setTimeout(look, data?.changes.hasMore ? 0 : everyMs);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client]);
  return { created, reset: () => setCreated(0) };
};
