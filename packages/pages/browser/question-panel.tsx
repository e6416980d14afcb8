// The question of the segment in four notations, to copy.
import { useId, useState } from 'preact/hooks';
import type { TreeResult } from './contract-tree.ts';
import { Button } from './controls.tsx';
import { copyText } from './copy-text.ts';
import type { WrittenQuery } from './graph-query.ts';
import { writeCurl, writeGraphql, writeRestBody, writeTypeScript } from './question-texts.ts';
import { useTexts } from './texts.ts';

const tabs = ['GraphQL', 'REST', 'curl', 'TypeScript'] as const;
type Tab = (typeof tabs)[number];

export const QuestionPanel = ({ query, tree }: { query: WrittenQuery['query']; tree: TreeResult }) => {
  const t = useTexts();
  const id = useId();
  const [tab, setTab] = useState<Tab>('GraphQL');
  /** The result of the last copy, in words. */
  const [said, setSaid] = useState<string>();
  const { origin } = location;
  const texts: Record<Tab, string | undefined> = {
    GraphQL: writeGraphql(query),
    REST: writeRestBody(tree),
    curl: writeCurl(origin, query),
    TypeScript: writeTypeScript(origin, query),
  };
  const text = texts[tab];

  const choose = (next: Tab): void => {
    setTab(next);
    setSaid(undefined);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabs.indexOf(tab);
    const next = { ArrowRight: at + 1, ArrowLeft: at + tabs.length - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(tabs[next % tabs.length]!);
  };
  const copy = async (): Promise<void> => setSaid((await copyText(text!)) ? t.copied : t.notCopied);

  return (
    <section class="card question">
      <div class="question-head">
        <h2>{t.question}</h2>
        <div role="tablist" aria-label={t.question} onKeyDown={onKeyDown}>
          {tabs.map((one) => (
            <Button
              text={one}
              key={one}
              role="tab"
              id={`${id}-${one}`}
              aria-selected={one === tab}
              aria-controls={`${id}-panel`}
              tabIndex={one === tab ? 0 : -1}
              onClick={() => choose(one)}
            />
          ))}
        </div>
        {text && <Button text={said ?? t.copy} class="copy" onClick={copy} />}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${tab}`}>
        {text ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll a long text
          <pre tabIndex={0}>
            {tab === 'REST' && <span class="quiet">{'POST /search\n'}</span>}
            <code>{text}</code>
          </pre>
        ) : (
          <p class="notice">{'obstacle' in tree && t.noTree[tree.obstacle]}</p>
        )}
      </div>
      <p class="quiet">{t.questionHint}</p>
      <span class="sr-only" role="status">
        {said}
      </span>
    </section>
  );
};
