// Loads spec files and test/support as Jest does, but has Node load the service itself and every package: once for a worker
// instead of once for a file, which was the larger part of the time of small files. The service comes from dist/, so what
// is tested is what is shipped.
const { dirname, isAbsolute, join, relative, resolve, sep } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** What the build puts into dist/, but for its specs. */
const SOURCES = ['src', 'migrations'];
const SPEC = /\.spec\.[jt]s$/;

module.exports = class SharedModulesRuntime extends Runtime {
  constructor(config, ...words) {
    super(config, ...words);
    this.shareRealm();
    this.shareModules(config.rootDir);
  }

  /** Code is compiled for this realm, which is no context of `node:vm` that could be named. */
  shareRealm() {
    const { esmLoader, executor } = this;
    esmLoader.getContext = () => undefined;
    executor.compile = (source, filename) =>
      vm.compileFunction(source, executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: (specifier, _function, attributes, ...rest) =>
          executor.dynamicImport(specifier, filename, undefined, attributes, rest[0]),
      });
  }

  shareModules(root) {
    const { esmLoader, registries } = this;
    // The other way in, of newer versions of Node, would pass by what follows.
    esmLoader.tryLoadGraphSync = () => 'load-async';
    const resolveModule = esmLoader.resolveModule.bind(esmLoader);
    esmLoader.resolveModule = async (specifier, from, context) => {
      const url = nodesOwn(root, specifier, from);
      if (url === null) return resolveModule(specifier, from, context);
      const registry = registries.getActiveEsmRegistry();
      const known = registry.get(url);
      if (known !== undefined) return known;
      const module = exposed(url, await import(url));
      registry.set(url, module);
      return module;
    };
  }
};

/** What Node is to import: the built file of a source, a package's name, or null for what is Jest's. */
function nodesOwn(root, specifier, from) {
  if (specifier.startsWith('.') || isAbsolute(specifier) || specifier.startsWith('file:')) {
    const path = specifier.startsWith('file:') ? fileURLToPath(specifier) : resolve(dirname(from), specifier);
    if (!SOURCES.some((folder) => path.startsWith(join(root, folder) + sep)) || SPEC.test(path)) return null;
    return pathToFileURL(join(root, 'dist', relative(root, path)).replace(/\.ts$/, '.js')).href;
  }
  return specifier === '@jest/globals' || specifier.startsWith('node:') || specifier.startsWith('data:')
    ? null
    : specifier;
}

function exposed(identifier, namespace) {
  const names = Object.keys(namespace);
  return new vm.SyntheticModule(
    names,
    function setExports() {
      for (const name of names) this.setExport(name, namespace[name]);
    },
    { identifier },
  );
}
