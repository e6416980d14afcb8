// The login: the address of the graph and a token, which are tried before they are kept.
import { createClient, MusterError, ReadViewerDocument } from '@muster/client';
import { type FormEvent, useState } from 'react';
import { logIn } from './session.ts';

export const Login = () => {
  const [message, setMessage] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    // People copy a whole header, too.
    const token = String(fields.get('token'))
      .trim()
      .replace(/^Bearer\s+/i, '');
    setBusy(true);
    try {
      const url = new URL(String(fields.get('url')), location.href).href;
      await createClient({ url, token }).request(ReadViewerDocument);
      logIn({ url, token });
    } catch (error) {
      setMessage(error instanceof MusterError ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <main className="login">
      <h1>Log in</h1>
      <form onSubmit={(event) => void submit(event)}>
        <label>
          Address of the graph
          <input name="url" defaultValue="/graphql" required spellCheck={false} autoComplete="url" />
        </label>
        <label>
          Token
          <input name="token" type="password" autoComplete="current-password" required />
        </label>
        <button type="submit" disabled={isBusy}>
          Log in
        </button>
        <p role="alert">{message}</p>
      </form>
    </main>
  );
};
