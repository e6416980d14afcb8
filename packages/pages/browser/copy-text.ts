/** Puts a text on the clipboard, also in pages without TLS, which have no `navigator.clipboard`, and where that is refused. Returns whether the browser let it. */
export const copyText = async (text: string): Promise<boolean> => {
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (isCopied) return true;
  const put = (event: ClipboardEvent): void => {
    event.preventDefault();
    event.clipboardData!.setData('text/plain', text);
  };
  document.addEventListener('copy', put);
  const isPut = document.execCommand('copy');
  document.removeEventListener('copy', put);
  return isPut;
};
