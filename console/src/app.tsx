import { localStorageColorSchemeManager, MantineProvider, createTheme } from '@mantine/core';
import { QueryClient } from '@tanstack/react-query';
import { CoreAdminContext, I18nContextProvider, localStorageStore } from 'ra-core';
import { lazy } from 'react';
import { createHashRouter, RouterProvider } from 'react-router';
import { i18nProvider } from './i18n/text.js';
import { KeptButton } from './shell/kept-button.js';
import { Shell } from './shell/shell.js';
import { SignInGate } from './shell/sign-in-gate.js';
import { ErrorPage, NotFoundPage } from './shell/error-page.js';
import { numberTypedAddresses } from './shell/typed-addresses.js';

const OverviewPage = lazy(async () => ({ default: (await import('./overview/overview-page.js')).OverviewPage }));
const UnitsPage = lazy(async () => ({ default: (await import('./data/units-page.js')).UnitsPage }));
const UnitPage = lazy(async () => ({ default: (await import('./data/unit-page.js')).UnitPage }));
const ModelPage = lazy(async () => ({ default: (await import('./model/model-page.js')).ModelPage }));
const DefinitionPage = lazy(async () => ({ default: (await import('./model/definition-page.js')).DefinitionPage }));
const ParameterPage = lazy(async () => ({ default: (await import('./model/parameter-page.js')).ParameterPage }));
const LinksPage = lazy(async () => ({ default: (await import('./graph/links-page.js')).LinksPage }));
const ChartsPage = lazy(async () => ({ default: (await import('./charts/charts-page.js')).ChartsPage }));
const FunctionsPage = lazy(async () => ({ default: (await import('./functions/functions-page.js')).FunctionsPage }));
const FunctionPage = lazy(async () => ({ default: (await import('./functions/function-page.js')).FunctionPage }));
const MembersPage = lazy(async () => ({ default: (await import('./members/members-page.js')).MembersPage }));
const NewMemberPage = lazy(async () => ({ default: (await import('./members/new-member-page.js')).NewMemberPage }));
const MemberPage = lazy(async () => ({ default: (await import('./members/member-page.js')).MemberPage }));
const AccountPage = lazy(async () => ({ default: (await import('./members/account-page.js')).AccountPage }));
const SignInPage = lazy(async () => ({ default: (await import('./sign-in/sign-in-page.js')).SignInPage }));
const WebhooksPage = lazy(async () => ({ default: (await import('./webhooks/webhooks-page.js')).WebhooksPage }));
const WebhookPage = lazy(async () => ({ default: (await import('./webhooks/webhook-page.js')).WebhookPage }));
const SettingsPage = lazy(async () => ({ default: (await import('./settings/settings-page.js')).SettingsPage }));
const AccessPage = lazy(async () => ({ default: (await import('./access/access-page.js')).AccessPage }));
const WhyPage = lazy(async () => ({ default: (await import('./access/why-page.js')).WhyPage }));
const AccessEditorPage = lazy(async () => ({
  default: (await import('./access/access-editor-page.js')).AccessEditorPage,
}));

const nonce = document.querySelector<HTMLMetaElement>('meta[name=nonce]')?.content ?? '';
// Mantine's dialogs lock scrolling with a style of a library that looks here for the nonce.
Object.assign(globalThis, { __webpack_nonce__: nonce });
const theme = createTheme({
  // The contrast that WCAG 2 asks for between text and button.
  primaryShade: { light: 8, dark: 8 },
  cursorType: 'pointer',
  respectReducedMotion: true,
  autoContrast: true,
  // Pages scroll inside; the lock would be a style that the content security policy refuses.
  components: {
    Button: { defaultProps: { component: KeptButton } },
    ActionIcon: { defaultProps: { component: KeptButton } },
    // With the list as what scrolls, inside the landmark of the page.
    ...Object.fromEntries(
      ['Select', 'MultiSelect', 'TagsInput'].map((name) => [name, { defaultProps: { withScrollArea: false } }]),
    ),
    Combobox: { defaultProps: { portalProps: { target: '#content' } } },
    PasswordInput: {
      defaultProps: {
        visibilityToggleFocusable: true,
        visibilityToggleButtonProps: { 'aria-label': i18nProvider.translate('app.show_password') },
      },
    },
    Menu: {
      defaultProps: {
        // Inside the landmark that it belongs to, and with nothing in it but its items.
        withinPortal: false,
        floatingStrategy: 'fixed',
        withInitialFocusPlaceholder: false,
      },
    },
    Modal: {
      defaultProps: {
        lockScroll: false,
        closeButtonProps: { 'aria-label': i18nProvider.translate('app.close') },
        // Not another banner of the page.
        attributes: { header: { role: 'presentation' } },
      },
    },
  },
});
const colorScheme = localStorageColorSchemeManager({ key: 'kind.console.colors' });
const store = localStorageStore(undefined, 'kind.console');
const queries = new QueryClient({
  defaultOptions: {
    // The client tries again where that is of use.
    queries: { retry: false },
  },
});

const followRouter = numberTypedAddresses();
const router = createHashRouter([
  {
    element: (
      <CoreAdminContext i18nProvider={i18nProvider} store={store} queryClient={queries}>
        <SignInGate>
          <Shell />
        </SignInGate>
      </CoreAdminContext>
    ),
    errorElement: (
      <I18nContextProvider value={i18nProvider}>
        <ErrorPage />
      </I18nContextProvider>
    ),
    children: [
      { path: '/', element: <OverviewPage /> },
      { path: '/data/:kind', element: <UnitsPage /> },
      { path: '/group/:group', element: <UnitsPage /> },
      { path: '/data/:kind/new', element: <UnitPage /> },
      { path: '/data/:kind/unit/:id', element: <UnitPage /> },
      { path: '/model', element: <ModelPage /> },
      { path: '/model/parameter/new', element: <ParameterPage /> },
      { path: '/model/parameter/:type/:id', element: <ParameterPage /> },
      { path: '/model/:of/new', element: <DefinitionPage /> },
      { path: '/model/:of/edit/:id', element: <DefinitionPage /> },
      { path: '/links/:kind/:id', element: <LinksPage /> },
      { path: '/charts/:kind', element: <ChartsPage /> },
      { path: '/members', element: <MembersPage /> },
      { path: '/members/:kind/new', element: <NewMemberPage /> },
      { path: '/members/:kind/:id', element: <MemberPage /> },
      { path: '/account', element: <AccountPage /> },
      { path: '/account/sign-in', element: <SignInPage /> },
      { path: '/functions', element: <FunctionsPage /> },
      { path: '/functions/:kind/:scope/:name', element: <FunctionPage /> },
      { path: '/webhooks', element: <WebhooksPage /> },
      { path: '/webhooks/:id', element: <WebhookPage /> },
      { path: '/settings', element: <SettingsPage /> },
      { path: '/access', element: <AccessPage /> },
      { path: '/why/:kind/:id', element: <WhyPage /> },
      { path: '/access/:of/:id/:operation', element: <AccessEditorPage /> },
      { path: '*', element: <NotFoundPage /> },
    ],
  },
]);
followRouter(router);

export function App() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorScheme}
      getStyleNonce={() => nonce}
    >
      <RouterProvider router={router} />
    </MantineProvider>
  );
}
