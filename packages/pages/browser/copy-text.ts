// Puts a text on the clipboard, also in pages without TLS, which have no `navigator.clipboard`.
export const copyText = async (text: string): Promise<void> => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const put = (event: ClipboardEvent): void => {
    event.preventDefault();
    event.clipboardData!.setData('text/plain', text);
  };
  document.addEventListener('copy', put);
  document.execCommand('copy');
  document.removeEventListener('copy', put);
};
