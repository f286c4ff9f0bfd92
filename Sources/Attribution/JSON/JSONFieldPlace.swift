/// Where a name and its value stand in a JSON text.
struct JSONFieldPlace {
    let name: JSONStringPlace
    let value: JSONValuePlace
}
