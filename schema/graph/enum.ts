// Values of enums: capitals in the graph, lower case in the program and for legacy clients.

/** The values of an enum by their names in the graph: `level_of_support` is `LEVEL_OF_SUPPORT`. */
export const defineEnumValues = <Value extends string>(descriptions: Record<Value, string>) =>
  Object.fromEntries(
    (Object.entries(descriptions) as [Value, string][]).map(([value, description]) => [
      value.toUpperCase(),
      { value, description },
    ]),
  ) as Record<Uppercase<Value>, { value: Value; description: string }>;
