// Actions that are not saved yet, in this browser's IndexedDB: tab, browser and phone may go off
// meanwhile. Once one was tried it has `refused` ({ status, says }) or `done` (the address of what came
// of it). Of each game is kept `seen`, the newest entry that a page has shown, and `moved`, which entry
// this phone's own actions led to from which ([from, to, wasQueued]).
export const FORMAT = 1;
const PATIENCE = 5000; // for one transaction, in ms
let open = null;
// Once this page was left: a promise that it is shown again.
let shown;
const begun = new Set(); // transactions

function opened() {
  open ??= new Promise((yes, no) => {
    const asked = indexedDB.open("companion", 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore("acts", { keyPath: "id", autoIncrement: true });
      asked.result.createObjectStore("games");
    };
    asked.onsuccess = () => {
      asked.result.onclose = () => (open = null);
      asked.result.onversionchange = () => asked.result.close();
      yes(asked.result);
    };
    asked.onerror = () => no(asked.error);
  });
  open.catch(() => (open = null));
  return open;
}

// One transaction: `work` gets both stores and may return a request, whose result is the answer.
async function run(mode, work) {
  await shown;
  const at = (await opened()).transaction(["acts", "games"], mode, { durability: "strict" });
  begun.add(at);
  return new Promise((yes, no) => {
    const asked = work(at.objectStore("acts"), at.objectStore("games"));
    at.oncomplete = () => yes(asked?.result);
    at.onabort = () => no(at.error);
    setTimeout(() => no(stop(at)), PATIENCE);
  }).finally(() => begun.delete(at));
}

const stop = (at) => {
  try {
    at.abort();
  } catch {} // it is done
};

// Safari's engine keeps a page that was left, and with it what it had begun here: nothing else could
// begin in any page until that one came back. None begins before it does.
addEventListener("pagehide", () => {
  begun.forEach(stop);
  shown = new Promise((yes) => addEventListener("pageshow", yes));
});

export const all = () => run("readonly", (actions) => actions.getAll());
export const keep = (action) => run("readwrite", (actions) => actions.put(action));
// Unless it was discarded meanwhile, or saved by another tab.
const ifThere = (actions, action) => (actions.get(action.id).onsuccess = ({ target: { result } }) => result && actions.put(action));
export const change = (action) => run("readwrite", (actions) => void ifThere(actions, action));
export const drop = (id) => run("readwrite", (actions) => void actions.delete(id));

// What was refused for no fault of its own is to be tried again: another notebook may have been open,
// or something was wrong with the server. The marker settles the rest.
export function retry() {
  return run("readwrite", (actions) => {
    actions.getAll().onsuccess = ({ target: { result } }) => {
      for (const action of result) if (action.refused && !/200|409|422/.test(action.refused.status)) actions.put({ ...action, refused: null });
    };
  });
}

const newKey = () => crypto.getRandomValues(new Uint32Array(3)).join("-");

// Keep what was entered on a page, on the entry that it stands on now. Answers its id. `how` is for
// `standing`, if it is asked. Its key is the form's, unless this phone has made another action on that
// base, or the page is an old copy: two actions made on one base are two.
export function enter(action, how) {
  return run("readwrite", (actions, games) => {
    const kept = {};
    games.get(action.game).onsuccess = ({ target: { result: known } }) => {
      actions.getAll().onsuccess = ({ target: { result: waiting } }) => {
        const wasSaved = known?.moved.some(([from]) => from === action.base);
        if (wasSaved || how?.isCopy || waiting.some(({ key }) => key === action.key)) action.key = newKey();
        if (how) action.base = standing(known, action.base, how);
        actions.put(action).onsuccess = ({ target: { result } }) => (kept.result = result);
      };
    };
    return kept;
  });
}

// The server has written entry `entry`, after entry `after`. What else waits for the same game and was
// entered on a page of entry `after` comes next; what somebody else wrote is for the server to find.
export function saved(action, { entry, after }, wasQueued) {
  return run("readwrite", (actions, games) => {
    if (action.done) ifThere(actions, action);
    else actions.delete(action.id);
    // It was there already, as a game is that was begun before.
    if (!(entry > action.base)) return; // or it wrote nothing
    actions.getAll().onsuccess = ({ target }) => {
      for (const other of target.result) {
        if (other.game === action.game && other.id > action.id && other.base === after) actions.put({ ...other, base: entry });
      }
    };
    games.get(action.game).onsuccess = ({ target }) => {
      const { seen, moved } = target.result ?? { seen: 0, moved: [] };
      const last = [...moved, [after, entry, wasQueued]].slice(-100);
      games.put({ seen: Math.max(seen, entry), moved: last }, action.game);
    };
  });
}

// A page shows entry `number`. Answers the newest that this phone knows of.
export function seen(game, number) {
  return run("readwrite", (_, games) => {
    const known = {};
    games.get(game).onsuccess = ({ target }) => {
      const { seen, moved } = target.result ?? { seen: 0, moved: [] };
      if (number > seen) games.put({ seen: number, moved }, game);
      known.result = Math.max(number, seen);
    };
    return known;
  });
}

// The entry that a form stands on now. A page that was open while what waited was saved, or an old copy,
// does not know of it; `ahead` shows nothing of the game, so it stands on all that this phone has seen.
function standing(known, base, { isCopy, isAhead }) {
  const { seen, moved } = known ?? { seen: 0, moved: [] };
  let at = isAhead ? Math.max(base, seen) : base;
  for (const [from, to, wasQueued] of moved) {
    if (from === at && (wasQueued || isCopy)) at = to;
  }
  return at;
}
