/** Opens a list whose choice acts at once. Otherwise an arrow key or a letter would choose the next entry at once, and no later entry could be reached. */
export const showChoices = (event: KeyboardEvent): void => {
  const { key, ctrlKey, metaKey } = event;
  const list = event.currentTarget as HTMLSelectElement;
  // Older browsers cannot open it.
  if (ctrlKey || metaKey || !/^(Arrow.+|Page.+|Home|End|\S)$/.test(key) || !list.showPicker) return;
  event.preventDefault();
  list.showPicker();
};
