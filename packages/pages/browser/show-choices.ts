/** Opens a list whose choice acts at once. An arrow key or a letter would otherwise take the next entry, and never one behind it. */
export const showChoices = (event: KeyboardEvent): void => {
  const { key, ctrlKey, metaKey } = event;
  const list = event.currentTarget as HTMLSelectElement;
  // Older browsers cannot open it.
  if (ctrlKey || metaKey || !/^(Arrow.+|Page.+|Home|End|\S)$/.test(key) || !list.showPicker) return;
  event.preventDefault();
  list.showPicker();
};
