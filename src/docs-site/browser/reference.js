/** Starts Scalar's API reference, with everything switched off that would ask another host. */

const root = document.documentElement;
const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches);

const configuration = () => ({
  url: '/openapi.json',
  // Without a server in the description, requests go to where the page came from.
  servers: [{ url: location.origin }],
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  persistAuth: false,
  hideDarkModeToggle: true,
  forceDarkModeState: isDark() ? 'dark' : 'light',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  authentication: { preferredSecurityScheme: 'bearer' },
});

const reference = globalThis.Scalar.createApiReference('#reference', configuration());
document.addEventListener('themechange', () => reference.updateConfiguration(configuration()));
