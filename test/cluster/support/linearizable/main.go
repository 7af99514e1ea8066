// Reads a history of operations, one JSON object per line, and prints whether it is linearizable: `ok`, or the keys for
// which no order of the operations explains all results.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

const timeMax = 5 * time.Minute

// An operation on one key. Its result is absent if the client does not know it.
type operation struct {
	Client int     `json:"client"`
	Key    string  `json:"key"`
	Kind   string  `json:"kind"`
	Value  string  `json:"value"`
	Result *string `json:"result"`
	Call   int64   `json:"call"`
	Return int64   `json:"return"`
}

// The state of a key is its current value, or "" if it has none.
func step(state, input, output interface{}) (bool, interface{}) {
	before, one := state.(string), input.(operation)
	result := output.(*string)
	switch one.Kind {
	case "write":
		return result == nil || *result == "written" || (*result == "created") == (before == ""), one.Value
	case "remove":
		return result == nil || (*result == "absent") == (before == ""), ""
	case "read":
		return result == nil || *result == before, before
	}
	panic("unknown kind " + one.Kind)
}

func main() {
	byKey := map[string][]porcupine.Operation{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var one operation
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		if one.Result == nil {
			// It may take effect at any time, or never.
			one.Return = math.MaxInt64
		}
		byKey[one.Key] = append(byKey[one.Key], porcupine.Operation{
			ClientId: one.Client, Input: one, Output: one.Result, Call: one.Call, Return: one.Return,
		})
	}
	model := porcupine.Model{Init: func() interface{} { return "" }, Step: step}
	wrong := []string{}
	for key, history := range byKey {
		if result := porcupine.CheckOperationsTimeout(model, history, timeMax); result != porcupine.Ok {
			wrong = append(wrong, fmt.Sprintf("%s: %s", key, result))
		}
	}
	if len(wrong) == 0 {
		fmt.Println("ok")
		return
	}
	sort.Strings(wrong)
	fmt.Println(strings.Join(wrong, "\n"))
}
