/** The default theme without fonts of its own, with a version switch and rendered OpenAPI documents. */
import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import OpenApi from './OpenApi.vue';
import VersionSwitch from './VersionSwitch.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'nav-bar-content-after': () => h(VersionSwitch) }),
  enhanceApp: ({ app }) => {
    app.component('OpenApi', OpenApi);
  },
} satisfies Theme;
