// JSON as text: what somebody typed is checked and then copied as it is, never written anew. Pure.

/// How many bytes a text takes in UTF-8.
export function byteLength(text) {
  return new TextEncoder().encode(text).length;
}

/// Why a text is no JSON object, for people; null when it is one.
export function objectProblem(text) {
  if (text.trim() === "") return "Empty. Enter an object, like {}.";
  if (/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text)) return "A character is incomplete: a lone surrogate.";
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `Not JSON: ${error.message}.`;
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) return "Not an object: it must start with { and end with }.";
  return null;
}

/// The object that a text is; an empty one when it is none. For looking at alone.
export function objectOf(text) {
  return objectProblem(text) === null ? JSON.parse(text) : {};
}

/// The JSON text of a string.
export function quoted(text) {
  return JSON.stringify(String(text));
}

/// An object's text around the JSON texts of its members, each copied as it is. A member whose text is null is left out.
export function objectText(members) {
  const given = members.filter(([, text]) => text !== null && text !== undefined);
  return `{${given.map(([name, text]) => `${quoted(name)}:${text}`).join(",")}}`;
}
