export function makeDataFolder(): Promise<string>;
export function removeLeftFolders(): Promise<void>;
