// The page: its bar, its language, the token, and the builder once the server has said what the caller may search by.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isLanguage, type Language, languageNames, languages } from '../language.ts';
import { type ApiProblem, convertToProblem, createApi } from './api.ts';
import { Builder } from './builder.tsx';
import { Button, Notice, Sentence, Status } from './controls.tsx';
import { type Attribute, selectEditable } from './model.ts';
import { ProblemText } from './problem-text.tsx';
import { forgetToken, keepToken, readToken, reloadForOtherToken } from './session.ts';
import { LanguageContext, textsOf, useLanguage, useTexts } from './texts.ts';
import { type Workspace, WorkspaceContext } from './workspace.ts';

const workspaceDocument = `{
  viewer { permissions space { name } }
  searchContacts(first: 0) { totalCount }
  searchAttributes { name path kind ofRecords recordType description operators { name field negates takes } }
}`;

interface WorkspaceAnswer {
  viewer: { permissions: string[]; space: { name: string } };
  searchContacts: { totalCount: number };
  searchAttributes: Attribute[];
}

const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="7" fill="#1f6f54" />
    <path
      d="M8 24V8l8 10 8-10v16"
      fill="none"
      stroke="#fff"
      stroke-width="3.5"
      stroke-linejoin="round"
      stroke-linecap="round"
    />
  </svg>
);

interface BarProps {
  space: string | undefined;
  graphiql: boolean;
  choose(language: Language): void;
  signOut: (() => void) | undefined;
}

const Bar = ({ space, graphiql, choose, signOut }: BarProps) => {
  const t = useTexts();
  const language = useLanguage();
  return (
    <header class="bar">
      <Button text={t.skip} class="skip" onClick={skipToResults} />
      <p class="brand">
        <a href={`/?lang=${language}`}>
          <Logo />
          <span>Muster</span>
        </a>
        {space && (
          <span class="quiet">
            <Sentence say={t.space} name={space} />
          </span>
        )}
      </p>
      <div class="bar-end">
        {graphiql && <a href="/graphql">GraphiQL</a>}
        {signOut && <Button text={t.signOut} class="plain" onClick={signOut} />}
        <select
          aria-label={t.languages}
          value={language}
          onChange={({ currentTarget: { value } }) => isLanguage(value) && choose(value)}
        >
          {languages.map((one) => (
            <option key={one} value={one} lang={one}>
              {languageNames[one]}
            </option>
          ))}
        </select>
      </div>
    </header>
  );
};

/** No link, since the fragment of the address holds the segment. */
const skipToResults = (): void => {
  const results = document.getElementById('results');
  results?.setAttribute('tabindex', '-1');
  results?.focus();
};

const TokenForm = ({ isRefused, take }: { isRefused: boolean; take(token: string): void }) => {
  const t = useTexts();
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The button that led here, such as the one that forgets the token, is gone.
    field.current!.focus();
    // A link that brings a token, and leads to this very page.
    const follow = (): void => location.reload();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return (
    <main class="narrow">
      <form
        class="card token"
        onSubmit={(event) => {
          event.preventDefault();
          take(text.trim().replace(/^Bearer\s+/i, ''));
        }}
      >
        <h1>{t.tokenTitle}</h1>
        <p class="quiet" id="token-hint">
          {t.tokenHint}
        </p>
        <label>
          {t.tokenLabel}
          <input
            ref={field}
            type="password"
            autocomplete="off"
            required
            aria-describedby={isRefused ? 'token-fault' : 'token-hint'}
            aria-invalid={isRefused || undefined}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        {isRefused && (
          <p class="notice" id="token-fault" role="alert">
            {t.tokenRefused}
          </p>
        )}
        <Button text={t.tokenEnter} type="submit" class="primary" />
      </form>
    </main>
  );
};

export const App = ({ graphiql, first }: { graphiql: boolean; first: Language }) => {
  const [language, setLanguage] = useState(first);
  const [token, setToken] = useState(readToken);
  const [workspace, setWorkspace] = useState<Workspace & { space: string }>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [attempt, setAttempt] = useState(0);
  const t = textsOf[language];
  const api = useMemo(() => (token ? createApi(token) : undefined), [token]);

  useEffect(() => {
    document.documentElement.lang = language;
    document.title = `${t.title} · Muster`;
  }, [language, t]);

  useEffect(() => {
    const controller = new AbortController();
    reloadForOtherToken(() => token, controller);
    return () => controller.abort();
  }, [token]);

  useEffect(() => {
    if (!api) return;
    const controller = new AbortController();
    setProblem(undefined);
    api.query<WorkspaceAnswer>(workspaceDocument, {}, controller.signal).then(
      ({ viewer, searchContacts, searchAttributes }) =>
        setWorkspace({
          api,
          attributes: selectEditable(searchAttributes),
          permissions: viewer.permissions,
          everybody: searchContacts.totalCount,
          space: viewer.space.name,
        }),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        const found = convertToProblem(error);
        setProblem(found);
        if (found.retryAfter === undefined) return;
        const timer = setTimeout(() => setAttempt((old) => old + 1), found.retryAfter * 1000);
        controller.signal.addEventListener('abort', () => clearTimeout(timer));
      },
    );
    return () => controller.abort();
  }, [api, attempt]);

  const choose = (next: Language): void => {
    setLanguage(next);
    const url = new URL(location.href);
    url.searchParams.set('lang', next);
    history.replaceState(null, '', url);
  };
  const leave = (): void => {
    forgetToken();
    // The segment and the words of the list may name people, and who comes next need not be in the same space.
    history.replaceState(null, '', location.pathname + location.search);
    setToken(undefined);
    setWorkspace(undefined);
    setProblem(undefined);
  };
  const take = (text: string): void => {
    keepToken(text);
    setToken(text);
    setAttempt((old) => old + 1);
  };

  const isRefused = problem?.code === 'unauthenticated';
  return (
    <LanguageContext.Provider value={language}>
      <Bar space={workspace?.space} graphiql={graphiql} choose={choose} signOut={token ? leave : undefined} />
      {!token || isRefused ? (
        <TokenForm isRefused={isRefused} take={take} />
      ) : problem ? (
        <main class="narrow">
          <Notice retry={() => setAttempt((old) => old + 1)}>
            <ProblemText problem={problem} isRepeated />
          </Notice>
        </main>
      ) : workspace ? (
        <WorkspaceContext.Provider value={workspace}>
          <Builder />
        </WorkspaceContext.Provider>
      ) : (
        <main class="narrow">
          <Status>{t.loading}</Status>
        </main>
      )}
    </LanguageContext.Provider>
  );
};
