// Light or dark: as the system says, or as was chosen. The choice is the one thing that is kept in the browser.

const KEY = "fanfare-console-theme";
export const THEMES = ["system", "light", "dark"];

/// What was chosen.
export function chosenTheme() {
  try {
    const value = localStorage.getItem(KEY);
    return THEMES.includes(value) ? value : "system";
  } catch {
    return "system";
  }
}

/// Puts a choice in force, and tells plots of it.
export function setTheme(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A browser that keeps nothing shows it all the same.
  }
  apply(theme);
}

/// Puts the kept choice in force, and goes along when the system's changes.
export function beginTheme() {
  apply(chosenTheme());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => apply(chosenTheme()));
}

function apply(theme) {
  const dark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.dispatchEvent(new Event("themechange"));
}

/// A colour of the theme in force, by the name of its variable.
export function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
