/** Imports a package of tools/node_modules. Node resolves a package from the file that imports it, so this file must stay in tools/. */
export function importTool(name) {
  return import(name);
}
