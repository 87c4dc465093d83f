/** package.json of the main package as it is published. */
export function published(main: object): object
